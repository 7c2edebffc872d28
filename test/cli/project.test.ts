import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { appendFile, cp, mkdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { command as add } from "../../src/cli/commands/add.js";
import { command as backup } from "../../src/cli/commands/backup.js";
import { command as generate } from "../../src/cli/commands/generate.js";
import { command as init } from "../../src/cli/commands/init.js";
import { command as restore } from "../../src/cli/commands/restore.js";
import type { Command, OptionValues } from "../../src/cli/command/command.js";
import { recordingTerminal } from "../../src/cli/fixtures/terminal.js";
import { ConfigMap } from "../../src/client/kinds/kubernetes.js";
import { controlPlane } from "../../src/plane/control-plane.js";
import { describeWith, kubectl } from "../components/index.js";
import { KubectlRunner } from "../server/kubectl-runner.js";

const repository = resolve(import.meta.dirname, "../..");
/** Output of the global set-up, or another build. */
const build = resolve(repository, process.env["FETTLE_DIST"] ?? "dist");

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "fettle-project-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command in a folder; returns its output. */
async function run(command: Command | undefined, words: string[], options: OptionValues = {}, cwd = folder) {
  const terminal = recordingTerminal({ cwd });
  await command?.run?.(words, options, terminal);
  return terminal.out();
}

/** Does what `npm install` would, with this repository in place of the package from the registry. */
async function install(project: string): Promise<void> {
  const modules = join(project, "node_modules");
  await mkdir(join(modules, "fettle"), { recursive: true });
  await mkdir(join(modules, "@types"));
  await mkdir(join(modules, ".bin"));
  await cp(join(repository, "package.json"), join(modules, "fettle", "package.json"));
  await symlink(build, join(modules, "fettle", "dist"));
  for (const name of ["zod", "typescript", "@types/node"]) {
    await symlink(join(repository, "node_modules", name), join(modules, name));
  }
  await symlink("../typescript/bin/tsc", join(modules, ".bin", "tsc"));
}

function npmTest(project: string): Promise<{ readonly code: number; readonly out: string }> {
  const env = { ...process.env, NODE_OPTIONS: "", NODE_TEST_CONTEXT: undefined };
  return new Promise((done) => {
    execFile("npm", ["test"], { cwd: project, env }, (error, out, err) =>
      done({ code: error === null ? 0 : Number(error.code ?? 1), out: out + err }),
    );
  });
}

describe("a new project", () => {
  let project: string;
  beforeAll(async () => {
    project = join(folder, "greeter");
    expect(await run(init, ["greeter"])).toContain("npm install");
    await install(project);
  });

  test("has exact versions, this fettle in a tarball, and the name of its folder", async () => {
    const { name, dependencies, devDependencies } = JSON.parse(
      await readFile(join(project, "package.json"), "utf8"),
    ) as { name: string; dependencies: { fettle: string }; devDependencies: object };
    expect(name).toBe("greeter");
    const { fettle, ...others } = dependencies;
    expect(fettle).toMatch(/^file:vendor\/fettle-\d+\.\d+\.\d+\.tgz$/);
    const tarball = fettle.replace("file:", "");
    expect(statSync(join(project, tarball)).size).toBeGreaterThan(100_000);
    expect(await readFile(join(project, "README.md"), "utf8")).toContain(`\`${tarball}\``);
    const versions = Object.values({ ...others, ...devDependencies }) as string[];
    expect(versions).toHaveLength(3);
    for (const version of versions) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test(
    "is type-checked and passes its tests, with a kind that was added, too",
    { timeout: 120_000 },
    async () => {
      await run(add.commands?.["kind"], ["BlueHouse"], {}, project);
      await run(
        add.commands?.["kind"],
        ["Region"],
        { clusterScoped: true, group: "geo.example.com" },
        project,
      );
      const { code, out } = await npmTest(project);
      expect(code, out).toBe(0);
      expect(out).toMatch(/^# pass 5$/m);
      await appendFile(
        join(project, "src/blue-house.ts"),
        `export const wrong: typeof BlueHouse.kind = "Other";\n`,
      );
      expect((await npmTest(project)).out).toMatch(/blue-house\.ts.* error TS2322/);
      const text = await readFile(join(project, "src/blue-house.ts"), "utf8");
      await writeFile(join(project, "src/blue-house.ts"), text.replace(/export const wrong.*\n/, ""));
    },
  );

  test("is never overwritten", async () => {
    const before = await readFile(join(project, "package.json"), "utf8");
    await expect(run(init, ["."], { name: "other" }, project)).rejects.toThrow(
      /nothing was written: package.json, .*README.md/,
    );
    expect(await readFile(join(project, "package.json"), "utf8")).toBe(before);
    const index = await readFile(join(project, "src/index.ts"), "utf8");
    await expect(run(add.commands?.["kind"], ["Greeting"], {}, project)).rejects.toThrow(
      /src\/greeting.ts, src\/greeting.test.ts already exist/,
    );
    expect(await readFile(join(project, "src/index.ts"), "utf8")).toBe(index);
  });

  test("rejects invalid names and suggests valid ones", async () => {
    await expect(run(init, ["new"], { name: "My Project" })).rejects.toThrow(/such as my-project/);
    await expect(run(init, ["new"], { group: "Demo" })).rejects.toThrow(/not a valid API group/);
    await expect(run(add.commands?.["kind"], ["blue-house"], {}, project)).rejects.toThrow(
      /such as BlueHouse/,
    );
    await expect(run(add.commands?.["kind"], ["Site"])).rejects.toThrow(/not a project.*fettle init/);
    expect(existsSync(join(folder, "new"))).toBe(false);
    await run(init, ["My Project"]);
    expect(await readFile(join(folder, "My Project/package.json"), "utf8")).toContain('"name": "my-project"');
  });

  describe("on Kubernetes", () => {
    test("has exactly the permissions that its controllers need", async () => {
      const text = await run(generate.commands?.["manifests"], ["src/greeting.ts"], {}, project);
      const role = parseAllDocuments(text)
        .map(
          (document) =>
            document.toJS() as { kind: string; rules: { resources: string[]; verbs: string[] }[] },
        )
        .find(({ kind }) => kind === "ClusterRole");
      expect(
        Object.fromEntries(role?.rules.map(({ resources, verbs }) => [resources.join(), verbs.join()]) ?? []),
      ).toEqual({
        greetings: "get,list,watch",
        "greetings/status": "patch",
        "greetings/finalizers": "update",
        configmaps: "get,list,watch,create,patch,delete",
        events: "create,patch",
        customresourcedefinitions: "get",
      });
    });

    test("is named after the package, with the image and module of the options", async () => {
      await run(
        generate.commands?.["manifests"],
        [],
        { output: "deploy", image: "example.com/g:1" },
        project,
      );
      expect(readdirSync(join(project, "deploy"))).toEqual(["access.yaml", "crds.yaml", "deployment.yaml"]);
      expect(parse(await readFile(join(project, "deploy/deployment.yaml"), "utf8"))).toMatchObject({
        metadata: { name: "greeter", namespace: "greeter" },
        spec: {
          template: {
            spec: {
              containers: [
                {
                  image: "example.com/g:1",
                  args: ["run", "dist/index.js"],
                  resources: { limits: { memory: "128Mi" } },
                },
              ],
            },
          },
        },
      });
      const crds = await run(generate.commands?.["crds"], [], {}, project);
      expect(crds.match(/^ {2}name: .*$/gm)).toEqual([
        "  name: bluehouses.demo.dev",
        "  name: greetings.demo.dev",
        "  name: regions.geo.example.com",
      ]);
      expect(crds).toBe(await readFile(join(project, "deploy/crds.yaml"), "utf8"));
    });

    describeWith("with kubectl", kubectl, async () => {
      const version = (await kubectl.versions()).at(-1);
      if (version === undefined) return;

      test("can be applied twice without a change", async () => {
        const data = join(folder, "served");
        await using plane = await controlPlane({ store: "memory", data, listen: { port: 0 } });
        const k = new KubectlRunner(version, plane.kubeconfig ?? "");
        try {
          await run(generate.commands?.["manifests"], [], { output: "deploy" }, project);
          const apply = ["apply", "-f", join(project, "deploy")];
          await k.run(apply);
          const again = await k.run(apply);
          expect(again.match(/ unchanged$/gm)).toHaveLength(10);
          await k.run(["wait", "--for=condition=Established", "crd/greetings.demo.dev", "--timeout=10s"]);
          await k.run(["apply", "-f", join(project, "examples/hello.yaml")]);
          expect(await k.run(["get", "deployment", "-n", "greeter", "-o", "name"])).toBe(
            "deployment.apps/greeter\n",
          );
        } finally {
          k.dispose();
        }
      });
    });
  });
});

describe("a backup", () => {
  let cwd: string;
  beforeEach(() => (cwd = mkdtempSync(join(folder, "backup-"))));
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));
  const start = (data = ".fettle") => controlPlane({ data: join(cwd, data), listen: { port: 0 } });
  const file = "all.backup.gz";

  test("of a running control plane is restored to another folder", async () => {
    const made = await (async () => {
      await using plane = await start();
      const made = await plane.client.create(ConfigMap, { metadata: { name: "one" }, data: { a: "1" } });
      expect(await run(backup, [], { output: file }, cwd)).toMatch(
        /^saved \d+ entries of revision \d+ to .*all\.backup\.gz/,
      );
      await plane.client.delete(ConfigMap, "one");
      return made;
    })();
    expect(statSync(join(cwd, file)).mode & 0o777).toBe(0o600);
    expect(readdirSync(cwd)).toEqual([".fettle", file]);
    expect(await run(restore, [file], { data: "again" }, cwd)).toMatch(
      /^restored \d+ entries[^]*fettle up --data again/,
    );
    await using again = await start("again");
    const { data, metadata } = await again.client.get(ConfigMap, "one");
    expect(data).toEqual({ a: "1" });
    expect(metadata.uid).toBe(made.metadata.uid);
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
  });

  test("of a data folder that is not in use is restored in its place", async () => {
    await using plane = await start();
    await plane.client.create(ConfigMap, { metadata: { name: "one" }, data: { a: "1" } });
    await plane.stop();
    await run(backup, [], { output: file, data: ".fettle" }, cwd);
    await expect(run(restore, [file], { data: ".fettle" }, cwd)).rejects.toThrow(
      /\.fettle is not empty; .*--force/,
    );
    expect(await run(restore, [file], { data: ".fettle", force: true }, cwd)).toMatch(
      /the previous store is in .*store\.replaced-/,
    );
    await using again = await start();
    expect((await again.client.get(ConfigMap, "one")).data).toEqual({ a: "1" });
  });

  test("that is truncated, missing or unavailable is rejected with a reason", async () => {
    await using plane = await start();
    await plane.stop();
    await run(backup, [], { output: file }, cwd);
    await truncate(join(cwd, file), statSync(join(cwd, file)).size - 9);
    await expect(run(restore, [file], { data: "again" }, cwd)).rejects.toThrow(/is incomplete/);
    expect(existsSync(join(cwd, "again"))).toBe(false);
    await expect(run(restore, ["other.gz"], {}, cwd)).rejects.toThrow(/other\.gz does not exist/);
    await expect(run(backup, [], { data: "nowhere" }, cwd)).rejects.toThrow(/nowhere is not the data folder/);
    expect(readdirSync(cwd).sort()).toEqual([".fettle", file]);
  });
});
