import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { controlPlane } from "../../src/plane/control-plane.js";
import { describeWith, kubectl } from "../components/index.js";
import { follow } from "./walkthrough.js";

const repository = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

let root: string;
beforeAll(async () => (root = await realpath(await mkdtemp(join(tmpdir(), "fettle-tutorial-")))));
afterAll(() => rm(root, { recursive: true, force: true }));

/** A reader with a packed clone beside the project, kubectl, and a cluster in ~/.kube/config; npm keeps its settings and its cache. */
async function reader(kubeconfig: string) {
  await mkdir(join(root, "fettle"));
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", join(root, "fettle")], {
    cwd: repository,
    maxBuffer: 2 ** 26,
  });
  await mkdir(join(root, "bin"));
  await symlink((await kubectl.obtain()).path, join(root, "bin", "kubectl"));
  await mkdir(join(root, "home", ".kube"), { recursive: true });
  await copyFile(kubeconfig, join(root, "home", ".kube", "config"));
  const { PATH = "", npm_config_cache: cache, npm_config_userconfig: userconfig } = process.env;
  return {
    folder: root,
    env: {
      PATH: [join(root, "bin"), PATH].join(delimiter),
      HOME: join(root, "home"),
      FETTLE_PORT: "0",
      FETTLE_HEALTH_PORT: "0",
      npm_config_cache: cache ?? join(homedir(), ".npm"),
      npm_config_userconfig: userconfig ?? join(homedir(), ".npmrc"),
      npm_config_prefer_offline: "true",
      npm_config_update_notifier: "false",
    },
  };
}

describeWith("the tutorial", kubectl, () => {
  test("works for a reader who follows it from an empty folder, and its files pass the type check", async () => {
    await using cluster = await controlPlane({ store: "memory", listen: { port: 0 } });
    const project = await follow("docs/tutorial.md", await reader(cluster.kubeconfig ?? ""));
    expect((await readdir(project)).filter((name) => name.endsWith(".ts"))).toHaveLength(4);
    await writeFile(
      join(project, "tsconfig.json"),
      JSON.stringify({
        extends: join(repository, "tsconfig.json"),
        compilerOptions: {
          paths: {},
          allowImportingTsExtensions: true,
          typeRoots: [join(repository, "node_modules/@types")],
        },
        include: ["*.ts"],
      }),
    );
    const tsc = join(repository, "node_modules/typescript/bin/tsc");
    const { stdout } = await run(process.execPath, [tsc, "-p", project]).catch(
      (error: { readonly stdout: string }) => error,
    );
    expect(stdout).toBe("");
  }, 240_000);
});
