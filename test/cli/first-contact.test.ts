import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { fettle, inGroup } from "./fettle-process.js";

const repository = resolve(import.meta.dirname, "../..");

/** No update notices of npm, and no downloads but those of `npm install` that its cache does not have. */
const quiet = { npm_config_update_notifier: "false", npm_config_loglevel: "error" };
const env = { ...quiet, npm_config_offline: "true" };
const installing = { ...quiet, npm_config_prefer_offline: "true", npm_config_audit: "false" };

async function emptyFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "fettle-first-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Does what `npm install` would, with this repository in place of the package from the registry. */
async function install(project: string): Promise<void> {
  const modules = join(project, "node_modules");
  await mkdir(join(modules, "@types"), { recursive: true });
  await mkdir(join(modules, ".bin"));
  await symlink(repository, join(modules, "fettle"));
  for (const name of ["zod", "typescript", "@types/node"]) {
    await symlink(join(repository, "node_modules", name), join(modules, name));
  }
  await symlink("../typescript/bin/tsc", join(modules, ".bin", "tsc"));
  // npm makes the linked file executable; the build does not.
  const bin = join(modules, ".bin", "fettle");
  await writeFile(bin, `#!/bin/sh\nexec node "${repository}/dist/cli/main.js" "$@"\n`);
  await chmod(bin, 0o755);
}

/** Runs a pasted line; returns its output, or throws when it fails. */
async function pasted(line: string, cwd: string, variables: Readonly<Record<string, string>> = env) {
  const { PATH = "", HOME = "" } = process.env;
  const { stdout } = await promisify(execFile)("sh", ["-c", line], {
    cwd,
    env: { PATH, HOME, ...variables },
  });
  return stdout;
}

/** Indented lines of a text, without their comments. */
function linesIn(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => /^ {2}\S/.test(line))
    .map((line) => line.replace(/ +# .*/, "").trim());
}

test("every printed step works, from an empty folder to a controller that restarts on changes", async () => {
  const root = await emptyFolder();
  const made = fettle(["init", "say hello"], { cwd: root });
  expect(await made.ended, made.err()).toBe(0);
  const [cd, npmInstall = "", npmTest = "", npmRunDev = "", ...others] = linesIn(made.out());
  expect([cd, npmInstall, npmTest, npmRunDev]).toEqual([
    "cd 'say hello'",
    "npm install",
    "npm test",
    "npm run dev",
  ]);
  const project = (await pasted(`${cd} && pwd`, root)).trim();
  await pasted(npmInstall, project, installing);
  expect(await pasted(npmTest, project)).toMatch(/^# fail 0$/m);

  const up = inGroup("npm", ["run", "dev", "--", "--port", "0"], { cwd: project, env });
  await up.says(/Activity:/);
  const [, toTry = ""] = /Try in another terminal, in this folder:\n([\s\S]*?)\n\n/.exec(up.out()) ?? [];
  const lines = linesIn(toTry);
  expect(lines[0]).toBe("npx fettle get greetings");
  for (const line of lines) await pasted(line, project);

  expect(others).toHaveLength(2);
  const [apply = "", get = ""] = others;
  expect(await pasted(apply, project)).toBe("greeting.demo.dev/hello created\n");
  await up.says(/✓ Greeting default\/hello {2}created ConfigMap hello · ready: Greeted/);
  expect(await pasted(get, project)).toMatch(/^hello +Hello, Ada!$/m);

  const source = join(project, "src/greeting.ts");
  await writeFile(source, (await readFile(source, "utf8")).replace("`Hello, ", "`Welcome, "));
  await up.says(/src\/greeting\.ts has changed: restarting\s+Restarted/);
  const follows = "--for jsonpath='{.status.message}'='Welcome, Ada!' --timeout 30s";
  await pasted(`npx fettle wait greeting/hello ${follows}`, project);
  await pasted(`npx fettle wait configmap/hello ${follows.replace("status", "data")}`, project);
  for (const line of lines) expect(await pasted(line, project), line).toContain("hello");

  up.ctrlC();
  // The exit code is npm's.
  await up.ended;
  expect(up.out()).toMatch(/Stopping: .*\nStopped\. All data is on disk\.\n$/);
  expect(up.err()).not.toContain("fettle:");
}, 240_000);

test("every command of the banner works when an object was applied", async () => {
  const project = await emptyFolder();
  const made = fettle(["init", "--name", "greeter"], { cwd: project });
  expect(await made.ended, made.err()).toBe(0);
  await install(project);
  const up = inGroup("node_modules/.bin/fettle", ["up", "--port", "0", "examples"], { cwd: project, env });
  await up.says(/created ConfigMap hello/);
  const [, toTry = ""] = /Try in another terminal, in this folder:\n([\s\S]*?)\n\n/.exec(up.out()) ?? [];
  const lines = linesIn(toTry);
  expect(lines.map((line) => line.replace(/^npx fettle |^kubectl --kubeconfig \S+ /, ""))).toEqual(
    expect.arrayContaining(["get greetings", "tree greeting/hello", "why greeting/hello"]),
  );
  for (const line of lines) expect(await pasted(line, project), line).toContain("hello");
  up.ctrlC();
  expect(await up.ended, up.err()).toBe(0);
  expect(up.out()).toMatch(/Stopped\. All data is on disk\.\n$/);
}, 60_000);

/**
 * Performs the COPY and RUN instructions of a Dockerfile with two stages, the first named `build`. Each stage has a folder, and the
 * first is moved away at the end, so that no link into it works.
 */
async function imageOf(project: string): Promise<string> {
  const [context, build, image] = [await emptyFolder(), await emptyFolder(), await emptyFolder()];
  const ignored = (await readFile(join(project, ".dockerignore"), "utf8")).split("\n").filter(Boolean);
  await pasted(
    `tar -c ${ignored.map((each) => `--exclude='./${each.replace(/\/$/, "")}'`).join(" ")} . | tar -x -C ${context}`,
    project,
  );
  const [first = "", second = ""] = (await readFile(join(project, "Dockerfile"), "utf8"))
    .split(/^FROM .*$/m)
    .slice(1);
  for (const [folder, lines] of [
    [build, first],
    [image, second],
  ] as const) {
    for (const line of lines.split("\n")) {
      const [, option, from = "", to = ""] = /^COPY (--from=build )?(.*) (\S+)$/.exec(line) ?? [];
      const source = option === undefined ? `${context}/${from}` : `${build}/${from.replace("/app/", "")}`;
      if (from !== "") await pasted(`mkdir -p $(dirname ${to}) && cp -R -P ${source} ${to}`, folder);
      const [, command = "mkdir /data"] = /^RUN (.*)$/.exec(line) ?? [];
      if (!command.startsWith("mkdir /data")) await pasted(command, folder, installing);
    }
  }
  await rm(context, { recursive: true });
  await rm(build, { recursive: true });
  return image;
}

test("an image is built from the files of the project, and has all that its command needs", async () => {
  const project = await emptyFolder();
  const made = fettle(["init", "--name", "greeter"], { cwd: project });
  expect(await made.ended, made.err()).toBe(0);
  const image = await imageOf(project);
  await rm(project, { recursive: true });
  expect(await readdir(join(image, "node_modules"))).not.toContain("typescript");
  const up = inGroup("node_modules/.bin/fettle", ["up", "dist/index.js", "--port", "0"], { cwd: image, env });
  await up.says(/Activity:/);
  expect(await pasted("node_modules/.bin/fettle get greetings", image)).toBe("");
  up.ctrlC();
  expect(await up.ended, up.err()).toBe(0);
}, 180_000);
