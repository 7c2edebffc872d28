import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { fettle, inGroup } from "./fettle-process.js";

const repository = resolve(import.meta.dirname, "../..");

/** No downloads, and no update notices of npm. */
const env = { npm_config_offline: "true", npm_config_update_notifier: "false", npm_config_loglevel: "error" };

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
async function pasted(line: string, cwd: string): Promise<string> {
  const { PATH = "", HOME = "" } = process.env;
  const { stdout } = await promisify(execFile)("sh", ["-c", line], { cwd, env: { PATH, HOME, ...env } });
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
  const project = await emptyFolder();
  const made = fettle(["init"], { cwd: project });
  expect(await made.ended, made.err()).toBe(0);
  const [npmInstall, npmTest = "", npmRunDev = "", ...others] = linesIn(made.out());
  expect([npmInstall, npmTest, npmRunDev]).toEqual(["npm install", "npm test", "npm run dev"]);
  await install(project);
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
}, 120_000);

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
