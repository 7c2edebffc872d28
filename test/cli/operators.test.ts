import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { fettle, type FettleProcess } from "./fettle-process.js";
import { folderWith } from "./folder.js";

// Each command is a process of its own, and some tests run a dozen of them.
vi.setConfig({ testTimeout: 120_000 });

const base = `
import { z } from "zod";
import { controller, defineOperator, resource } from "fettle";
console.error("loading base");
export const Task = resource("demo.dev/v1", "Task", { spec: z.object({ command: z.string() }), status: z.object({ at: z.string() }) });
export default defineOperator({
  name: "base",
  kinds: [Task],
  commands: [{ name: "tasks", summary: "list tasks", load: async () => (await import("./commands/tasks.js")).command }],
  setup({ folder, checkAccess }) {
    return {
      controllers: [controller({ for: Task, reconcile: (task, { report, ready }) => { report({ at: folder }); ready("Done"); } })],
      extensions: [{
        path: "/base/v1",
        async serve({ path, user }) {
          await checkAccess(user, { verb: "get", group: "demo.dev", resource: "tasks", subresource: "log", namespace: "default", name: path });
          return { type: "text/plain", stream: (async function* () { yield "one\\n"; yield Buffer.from("two\\n"); })() };
        },
      }],
    };
  },
});
`;
const tasks = `
import { colorsOf, columns, connect, connectionOptions, headerRow, resolveObject, UsageError, writeOut, type Command } from "fettle/cli";
import { Task } from "../index.js";
export const command: Command = {
  arguments: "[object] [name]",
  description: "List tasks, or print the log of one.",
  options: [...connectionOptions, { flags: "--shout", summary: "in capital letters" }],
  examples: [["fettle tasks task/a", "the log of a task"]],
  async run(words, options, terminal) {
    await using server = await connect(options, terminal);
    if (words.length > 0) {
      const { kind, name } = await resolveObject(words, server);
      if (kind.kind !== "Task") throw new UsageError(kind.kind + " is not a Task");
      for await (const chunk of server.transport.bytes("/base/v1/" + name, { signal: terminal.signal })) await writeOut(terminal, chunk);
      return;
    }
    const { items } = await server.client.list(Task);
    const rows = items.map(({ metadata, spec }) => [metadata.name ?? "", options["shout"] ? spec.command.toUpperCase() : spec.command]);
    terminal.stdout.write(columns([headerRow(["NAME", "COMMAND"], colorsOf(terminal)), ...rows]));
  },
};
`;
const top = `
import { defineOperator } from "fettle";
import base from "@demo/base";
export default defineOperator({
  name: "top",
  requires: [base],
  commands: [{ name: "logs", summary: "print logs of tasks", load: async () => ({
    description: "Print logs of tasks.", examples: [],
    async run(words, options, { stdout }) { stdout.write("logs of " + words.join(" ") + "\\n"); },
    arguments: "[task...]",
  }) }],
});
`;
const manifest = `
apiVersion: demo.dev/v1
kind: Task
metadata: { name: a }
spec: { command: sleep }
`;

interface Place {
  readonly cwd: string;
  readonly state: string;
  /** Starts a command in the folder. */
  readonly start: (...words: string[]) => FettleProcess;
  /** Output of a command that ends. */
  readonly run: (...words: string[]) => Promise<{ code: unknown; out: string; err: string }>;
}

async function place(files: Readonly<Record<string, string>> = {}): Promise<Place> {
  const cwd = await folderWith(files);
  const state = join(cwd, "state");
  const start = (...words: string[]) => fettle(words, { cwd, env: { XDG_STATE_HOME: state } });
  const run: Place["run"] = async (...words) => {
    const process = start(...words);
    const code = await process.ended;
    return { code, out: process.out(), err: process.err() };
  };
  return { cwd, state, start, run };
}

async function operators(): Promise<Place> {
  const made = await place({
    "base/index.ts": base,
    "base/package.json": `{ "name": "@demo/base", "type": "module", "exports": "./index.ts" }`,
    "base/commands/tasks.ts": tasks,
    "top/index.ts": top,
    "task.yaml": manifest,
  });
  await mkdir(join(made.cwd, "node_modules", "@demo"));
  // As npm links a workspace: loading both by path and by name must load one copy.
  await symlink(join(made.cwd, "base"), join(made.cwd, "node_modules", "@demo", "base"));
  return made;
}

async function up(
  { start }: Place,
  ...words: string[]
): Promise<FettleProcess & { stop: () => Promise<unknown> }> {
  const running = start("up", "--port", "0", ...words);
  await running.says(/Stop with Ctrl-C/);
  const stop = (): Promise<unknown> => {
    running.process.kill("SIGINT");
    return running.ended;
  };
  return { ...running, stop };
}

async function recordOf({ state }: Place): Promise<string> {
  const folder = join(state, "fettle", "commands");
  const [name = ""] = await readdir(folder);
  return join(folder, name);
}

test("operators are started by up, and their commands work, before and after it stops", async () => {
  const here = await operators();
  const { run, cwd } = here;
  const running = await up(here, "base", "top", "task.yaml");
  expect(running.out()).toContain("controllers tasks.demo.dev");
  expect(running.err().match(/loading base/g)).toHaveLength(1);
  const record = await recordOf(here);
  expect((await stat(record)).mode & 0o777).toBe(0o600);

  const help = await run("--help");
  expect(help.out).toContain("\nOperators:\n");
  expect(help.out).toMatch(/tasks .*list tasks/);
  expect(help.out).toMatch(/logs .*print logs of tasks/);
  expect(help.out).not.toContain("say where to look instead of container logs");
  expect(help.err).not.toContain("loading base");

  expect((await run("tasks")).out).toBe("NAME   COMMAND\na      sleep\n");
  expect((await run("tasks", "--shout")).out).toContain("SLEEP");
  expect((await run("tasks", "task/a")).out).toBe("one\ntwo\n");
  expect((await run("logs", "a")).out).toBe("logs of a\n");
  expect((await run("help", "tasks")).out).toContain("fettle tasks task/a");
  expect((await run("tasks", "--help")).out).toContain("--shout");
  expect(await run("tasks", "namespace/default")).toMatchObject({
    code: 2,
    err: expect.stringContaining("Namespace is not a Task\nSee fettle tasks --help") as string,
  });
  expect((await run("taskz")).err).toContain('did you mean "fettle tasks"?');
  const candidates = async (...words: string[]) =>
    (await run("completion", "candidates", "--", ...words)).out;
  expect(await candidates("ta")).toBe("tasks\tlist tasks\n");
  expect(await candidates("tasks", "--sh")).toContain("--shout");
  expect(await candidates("tasks", "task/")).toBe("task/a\n");
  expect((await run("why", "task/a")).out).toContain("tasks.demo.dev");
  expect((await run("plan", "-f", "task.yaml")).code).toBe(0);
  expect((await run("get", "task", "a", "-o", "jsonpath={.status.at}")).out).toBe(
    join(cwd, ".fettle", "operators", "base"),
  );

  expect(await running.stop()).toBe(0);
  expect((await run("logs", "b")).out).toBe("logs of b\n");
  await rm(join(cwd, "top"), { recursive: true });
  expect(await run("logs", "b")).toMatchObject({
    code: 1,
    err: expect.stringContaining("does not exist any more; start the control plane again") as string,
  });
  // A start without operators forgets their commands.
  await (await up(here, "task.yaml")).stop();
  expect((await run("tasks")).err).toContain('unknown command "tasks"');
});

test("settings of fettle.yaml apply to controllers of operators, and its modules have their commands", async () => {
  const here = await operators();
  const { run, cwd } = here;
  await writeFile(
    join(cwd, "fettle.yaml"),
    "modules: [base]\ncontrollers: { tasks.demo.dev: { concurrency: 9 } }\n",
  );
  expect((await run("--help")).out).not.toContain("tasks");
  expect((await run("tasks", "--help")).err).toContain('unknown command "tasks"');
  expect((await run("gett")).err).toBe(
    'fettle: unknown command "gett"; did you mean "fettle get"?\nSee fettle --help\n',
  );
  // It is loaded, and has no control plane to talk to.
  expect((await run("tasks")).err).toContain("loading base");
  const running = await up(here);
  expect((await run("top", "-o", "json")).out).toMatch(/"concurrency": ?9/);
  await running.stop();
  await writeFile(join(cwd, "fettle.yaml"), "modules: [base]\ncontrollers: { nope: { concurrency: 9 } }\n");
  expect(await run("up", "--port", "0")).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      'there is no controller "nope"; the controllers are: tasks.demo.dev',
    ) as string,
  });
});

test("a name of a core command, and of two operators, is refused at the start", async () => {
  const withCommand = (operator: string, name: string) => `
import { defineOperator } from "fettle";
export default defineOperator({ name: "${operator}", commands: [{ name: "${name}", summary: "", load: async () => ({}) }] });`;
  const { run } = await place({
    "core.mjs": withCommand("mine", "get"),
    "one.mjs": withCommand("one", "ps"),
    "two.mjs": withCommand("two", "ps"),
  });
  expect((await run("up", "core.mjs")).err).toContain(
    "operator mine has a command get, which is a command of fettle itself; rename it",
  );
  expect((await run("up", "one.mjs", "two.mjs")).err).toContain(
    "the operators one and two both have a command ps",
  );
});

test("a folder that somebody else made runs nothing", async () => {
  const here = await operators();
  await (await up(here, "top")).stop();
  const record = await readFile(await recordOf(here), "utf8");
  const evil = await place({
    "evil.mjs": `import { writeFileSync } from "node:fs"; writeFileSync("ran", "");`,
  });
  const forged = record.replaceAll(join(here.cwd, "top", "index.ts"), join(evil.cwd, "evil.mjs"));
  for (const folder of [".fettle", ".fettle/fettle/commands", ".local/state/fettle/commands"]) {
    await mkdir(join(evil.cwd, folder), { recursive: true });
    await writeFile(join(evil.cwd, folder, "commands.json"), forged);
    const [name = ""] = await readdir(join(here.state, "fettle", "commands"));
    await writeFile(join(evil.cwd, folder, name), forged);
  }
  for (const words of [["--help"], ["logs"], ["tasks"], ["completion", "candidates", "--", "tasks", ""]]) {
    const { out } = await evil.run(...words);
    expect(out).not.toContain("Operators:");
  }
  expect(existsSync(join(evil.cwd, "ran"))).toBe(false);
});

test("a record that others may write is ignored", async () => {
  const here = await operators();
  await (await up(here, "top")).stop();
  expect((await here.run("--help")).out).toContain("Operators:");
  await chmod(await recordOf(here), 0o620);
  expect((await here.run("--help")).out).not.toContain("Operators:");
});
