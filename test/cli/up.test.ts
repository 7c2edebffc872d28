import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { OptionValues } from "../../src/cli/command/command.js";
import { command } from "../../src/cli/commands/up.js";
import { recordingTerminal, type RecordingTerminal } from "../../src/cli/fixtures/terminal.js";
import { runCommandLine } from "../../src/cli/program.js";
import { fettle } from "./fettle-process.js";
import { folderWith } from "./folder.js";

const example = fileURLToPath(new URL("../../examples/site/", import.meta.url));

const site = (spec: string): string =>
  `apiVersion: demo.dev/v1\nkind: Site\nmetadata:\n  name: hello\nspec:\n${spec}\n`;

/** Runs `fettle up` in this process during a test. */
async function up(
  words: readonly string[],
  options: OptionValues,
  cwd: string,
  look: (terminal: RecordingTerminal) => Promise<void>,
): Promise<RecordingTerminal> {
  const terminal = recordingTerminal({ cwd });
  const running = command.run?.(words, { port: "0", ...options }, terminal);
  try {
    await Promise.race([look(terminal), running?.then(() => expect.unreachable("it ended by itself"))]);
  } finally {
    terminal.interrupt();
    await running;
  }
  expect(await running).toBe(0);
  return terminal;
}

const failure = async (words: readonly string[], options: OptionValues, cwd: string): Promise<string> => {
  const terminal = recordingTerminal({ cwd });
  const error: unknown = await command
    .run?.(words, { port: "0", ...options }, terminal)
    .catch((e: unknown) => e);
  expect(error).toBeInstanceOf(Error);
  return (error as Error).message;
};

/** Runs another command against the control plane of the folder. */
async function other(cwd: string, ...words: readonly string[]): Promise<string> {
  const terminal = recordingTerminal({ cwd });
  const code = await runCommandLine(words, terminal);
  expect(code, terminal.err()).toBe(0);
  return terminal.out();
}

test("runs a folder with a module and a manifest, prints activity, and stops cleanly", async () => {
  const cwd = await folderWith();
  const terminal = await up([example], { store: "memory" }, cwd, async ({ shows }) => {
    await shows(
      /✓ Site default\/hello {2}created Page hello-1, hello-2, hello-3 · ready: Published · next run in 12h/,
    );
    await other(cwd, "delete", "page", "hello-2");
    await shows(/✓ Site default\/hello {2}created Page hello-2 /);
  });
  expect(terminal.out()).toMatch(/controllers sites\.demo\.dev\n/);
  expect(terminal.out()).toMatch(/applied {5}1 created\n/);
  expect(terminal.out()).toMatch(/Stopping: .*\nStopped\.\n$/);
  expect(terminal.err()).toBe("");
});

test("an in-memory control plane leaves the kubeconfig of a durable one alone", async () => {
  const cwd = await folderWith({ "kept.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kept\n" });
  await up([], {}, cwd, async ({ shows }) => {
    await shows("Activity:");
    await other(cwd, "apply", "-f", "kept.yaml");
    await up([], { store: "memory" }, cwd, async (memory) => {
      await memory.shows(/kubeconfig {2}\S*fettle-\S+\/kubeconfig\n/);
      expect(await other(cwd, "get", "configmaps", "-o", "name")).toContain("configmap/kept");
    });
  });
});

test("every command of the banner works", async () => {
  const cwd = await folderWith();
  const running = fettle(["up", "--port", "0", "--data", "kept here", example], { cwd });
  await running.says(/created Page/);
  const [, lines = ""] = /Try in another terminal.*:\n([\s\S]*?)\n\n/.exec(running.out()) ?? [];
  const pasted = lines.split("\n").map((line) => line.trim());
  expect(pasted.length).toBeGreaterThanOrEqual(3);
  for (const line of pasted) {
    const { stdout } = await promisify(execFile)("sh", ["-c", line], { cwd });
    expect(stdout, line).toContain("hello");
  }
});

test("keeps objects over a restart, and prints no unchanged runs", async () => {
  const cwd = await folderWith();
  await up([example], {}, cwd, async ({ shows }) => void (await shows(/created Page/)));
  const terminal = await up([join(example, "index.ts")], {}, cwd, async ({ shows }) => {
    await shows(/Activity:/);
    expect(await other(cwd, "get", "pages", "-o", "name")).toContain("hello-3");
  });
  expect(terminal.out()).not.toContain("✓");
  expect(terminal.out()).toContain("Stopped. All data is on disk.");
});

test("the configuration names modules and manifests, and overrides options of controllers", async () => {
  const cwd = await folderWith({
    "fettle.yaml": `modules: [${example}index.ts]\nmanifests: [site.yaml]\ncontrollers:\n  sites.demo.dev: { concurrency: 7 }\n`,
    "site.yaml": site("  title: Hello"),
  });
  await up([], { store: "memory", log: "json" }, cwd, async ({ shows, out }) => {
    await shows(/"msg":"run"/);
    const lines = out()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toContainEqual(expect.objectContaining({ msg: "fettle is up", applied: 1 }));
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: "run", object: "Site default/hello", controller: "sites.demo.dev" }),
    );
  });
  await writeFile(
    join(cwd, "fettle.yaml"),
    `modules: [${example}index.ts]\ncontrollers: { pages: { concurrency: 1 } }\n`,
  );
  expect(await failure([], { store: "memory" }, cwd)).toBe(
    'fettle.yaml:2: there is no controller "pages"; the controllers are: sites.demo.dev',
  );
});

test("prints the reason of a failed run, with growing gaps when it repeats", async () => {
  const cwd = await folderWith({
    "sites.ts": `
import { controller } from "fettle";
import { Site } from "./kinds.js";
export default [controller({ for: Site, reconcile() { throw new Error("the printer is on fire"); } })];
`,
    "kinds.ts": `
import { resource } from "fettle";
import { z } from "zod";
enum Colour { Red = "red" }
export const Site = resource("demo.dev/v1", "Site", { spec: z.object({ title: z.string().default(Colour.Red) }) });
`,
    "site.yaml": site("  title: Hello"),
  });
  const terminal = await up(["sites.ts", "site.yaml"], { store: "memory" }, cwd, async ({ shows }) => {
    await shows(/✗ Site default\/hello {2}failed: .*the printer is on fire, 8 times in a row; retrying/);
  });
  expect(terminal.out().match(/✗/g)).toHaveLength(4);
  // Events about it repeat the line of the run.
  expect(terminal.out()).not.toMatch(/ ! Site/);
});

test("a failure is one line, as text and as JSON", async () => {
  const failing = (reconcile: string): string => `
import { controller, resource } from "fettle";
import { z } from "zod";
const Site = resource("demo.dev/v1", "Site", { spec: z.object({ title: z.string() }), status: z.object({}) });
export const sites = controller({ for: Site, backoff: { base: "1ms", maxRetries: 1 }, ${reconcile} });
`;
  const cwd = await folderWith({
    "fails.ts": failing('reconcile: (_, { fail }) => fail("NoInk", "the printer is empty")'),
    "throws.ts": failing('reconcile() { throw new Error("the printer is on fire"); }'),
    "site.yaml": site("  title: Hello"),
  });
  const given = async (
    module: string,
    log: string,
    last: RegExp,
    about: RegExp,
  ): Promise<readonly string[]> => {
    const { out, err } = await up([module, "site.yaml"], { store: "memory", log }, cwd, async ({ shows }) => {
      await shows(last);
      // Its event is recorded after its run, so one that were printed would be there by now.
      while (!(await other(cwd, "events")).includes("GivenUp"));
    });
    return `${out()}${err()}`.split("\n").filter((line) => about.test(line));
  };
  expect(await given("fails.ts", "pretty", /given up/, /printer/)).toEqual([
    expect.stringMatching(
      /✗ Site default\/hello {2}not ready: NoInk · failed permanently: NoInk: the printer is empty; given up until something changes$/,
    ),
  ]);
  expect(await given("throws.ts", "pretty", /given up/, /printer/)).toEqual([
    expect.stringMatching(/failed: Error: the printer is on fire; retrying$/),
    expect.stringMatching(/the printer is on fire, 2 times in a row; given up until something changes$/),
  ]);
  const lines = (await given("throws.ts", "json", /given up/, /printer/)).map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { level: "warn", outcome: "error", failures: 1, msg: "the printer is on fire" },
    { level: "error", outcome: "error", failures: 2, msg: "given up: the printer is on fire" },
  ]);
});

test("registers a stricter schema only with --force-definitions", async () => {
  const kind = (spec: string): string => `
import { resource } from "fettle";
import { z } from "zod";
export const Site = resource("demo.dev/v1", "Site", { spec: z.object({ ${spec} }) });
`;
  const cwd = await folderWith({
    "old.ts": kind("title: z.string()"),
    "new.ts": kind("title: z.string(), owner: z.string()"),
    "site.yaml": site("  title: Hello"),
  });
  await up(["old.ts", "site.yaml"], {}, cwd, async ({ shows }) => void (await shows("Activity:")));
  expect(await failure(["new.ts"], {}, cwd)).toMatch(
    /would be invalid:\n {2}default\/hello: spec\.owner: .*\n.*register the schema anyway with --force-definitions/,
  );
  const forced = await up(
    ["new.ts"],
    { forceDefinitions: true },
    cwd,
    async ({ shows }) => void (await shows("Activity:")),
  );
  expect(forced.err()).toContain("forced a schema that stored objects violate");
});

test("prints events of controllers", async () => {
  const cwd = await folderWith({
    "sites.ts": `
import { controller } from "fettle";
import { Site } from ${JSON.stringify(join(example, "index.js"))};
export const greeter = controller({
  for: Site,
  reconcile(site, { recordEvent }) {
    recordEvent("Greeted", "hello to " + site.name, "Warning");
  },
});
`,
    "site.yaml": site("  title: Hello"),
  });
  await up(["sites.ts", "site.yaml"], { store: "memory" }, cwd, async ({ shows }) => {
    await shows(/ ! Site default\/hello {2}Greeted: hello to hello/);
  });
});

test.each([
  [
    "exports nothing of use",
    "export const answer = 42;\nexport function sites() {}\n",
    /^m\.ts exports no controllers, schedules, kinds, operators or subscriptions\..*controller\(\).* It exports answer, sites \(functions are not called/,
  ],
  [
    "throws",
    "interface A { a: 1 }\n\nthrow new Error('no luck');\n",
    /^m\.ts cannot be loaded: no luck\n {4}at .*m\.ts:3:7/,
  ],
  [
    "is not TypeScript",
    "export const a = 1;\nexport const b = {;\n",
    /^m\.ts cannot be loaded: m\.ts:2:18: /,
  ],
  ["imports what is not there", 'import "./gone.js";\n', /^m\.ts cannot be loaded: .*gone/],
  [
    "needs a package that is not installed",
    'import "no-such-package";\n',
    /^m\.ts cannot be loaded: Cannot find (module|package) 'no-such-package'; is it in package\.json, and did you run npm install\?\n {4}at .*m\.ts/,
  ],
])("reports a module that %s", async (_, text, message) => {
  const cwd = await folderWith({ "m.ts": text });
  expect(await failure(["m.ts"], { store: "memory" }, cwd)).toMatch(message);
});

test.each([
  ["no YAML", "kind: Site\n  spec: [\n", /^site\.yaml:\d+:\d+: /],
  ["without a kind", "---\napiVersion: v1\n---\nkind: Site\n", /^site\.yaml:2:1: kind is missing/],
  [
    "not as the schema says",
    site("  title: Hello\n  pages: many"),
    /^Site hello was rejected:\n {2}site\.yaml:7:10: .*spec\.pages: expected numeric/,
  ],
  [
    "of a kind that is not served",
    site("  a: b").replace("Site", "Sight"),
    /^Sight hello was rejected:\n {2}site\.yaml:1:1: /,
  ],
])("reports a manifest that is %s with its position", async (_, text, message) => {
  const cwd = await folderWith({ "site.yaml": text });
  expect(await failure([join(example, "index.ts"), "site.yaml"], { store: "memory" }, cwd)).toMatch(message);
});

test("reports a port in use, a folder in use and invalid options, each with a hint", async () => {
  const cwd = await folderWith();
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address() as { readonly port: number };
  expect(await failure([], { port: String(port) }, cwd)).toMatch(
    new RegExp(`^port ${port} on 127.0.0.1 is in use.*--port`),
  );
  expect(existsSync(join(cwd, ".fettle"))).toBe(false);
  holder.close();
  await up([], {}, cwd, async ({ shows }) => {
    await shows(/Activity:/);
    expect(await failure([], {}, cwd)).toMatch(/\.fettle\/store is in use by process \d+.*--data FOLDER/);
  });
  expect(await failure([], { store: "etcd" }, cwd)).toBe(
    "--store: etcd is not supported yet: choose sqlite or memory",
  );
  expect(await failure([], { store: "memory", watch: true }, cwd)).toMatch(/loses an in-memory store/);
  expect(await failure([], { host: "0.0.0.0", tls: false }, cwd)).toMatch(/TLS/);
});

test("says how other machines reach it, and hints at kubectl only where that works", async () => {
  const cwd = await folderWith();
  const everywhere = await up(
    [],
    { host: "0.0.0.0", hosts: "fettle.example.com,10.0.0.5" },
    cwd,
    async ({ shows }) => void (await shows("Activity:")),
  );
  expect(everywhere.out()).toMatch(/API {9}https:\/\/fettle\.example\.com:\d+\n/);
  expect(everywhere.out()).toMatch(/reachable {3}from other machines, as fettle\.example\.com, 10\.0\.0\.5/);
  const plain = await up([], { tls: false }, cwd, async ({ shows }) => void (await shows("Activity:")));
  expect(plain.out()).not.toContain("kubectl");
});

test("takes a certificate and its key together", async () => {
  const cwd = await folderWith();
  expect(await failure([], { certFile: "tls.crt" }, cwd)).toBe(
    "--cert-file needs its private key: add --key-file",
  );
  expect(await failure([], { keyFile: "tls.key" }, cwd)).toBe(
    "--key-file needs its certificate: add --cert-file",
  );
  expect(await failure([], { certFile: "tls.crt", keyFile: "tls.key" }, cwd)).toMatch(
    /tls\.crt cannot be read: ENOENT/,
  );
});

test("a failed start removes the data folder it created", async () => {
  const cwd = await folderWith({
    "broken.ts": "throw new Error('no luck');\n",
    "bad.yaml": site("  title: Hello\n  pages: many"),
    "good.yaml": site("  title: Hello"),
  });
  const data = join(cwd, "new", "deep", "data");
  const module = join(example, "index.ts");
  await failure(["broken.ts"], { data }, cwd);
  await failure([module, "bad.yaml"], { data }, cwd);
  await failure([module, "good.yaml"], { data, tokenFile: "nowhere" }, cwd);
  expect(existsSync(join(cwd, "new"))).toBe(false);
  await up([module, "good.yaml"], { data }, cwd, async ({ shows }) => void (await shows(/created Page/)));
  await failure([module, "bad.yaml"], { data }, cwd);
  await up([module], { data }, cwd, async ({ shows }) => {
    await shows(/Activity:/);
    const kubeconfig = join(data, "kubeconfig");
    expect(await other(cwd, "get", "pages", "-o", "name", "--kubeconfig", kubeconfig)).toContain("hello-1");
  });
});

test("--watch restarts on the same port and data, and waits for the next change after an error", async () => {
  const cwd = await folderWith({ "site.yaml": site("  title: Hello") });
  const module = join(cwd, "sites.ts");
  await copyFile(join(example, "index.ts"), module);
  const running = fettle(["up", "--watch", "--port", "0", "sites.ts", "site.yaml"], { cwd });
  await running.says(/created Page hello-1/);
  const [, url] = /(https:\S+)/.exec(running.out()) ?? [];
  const text = await readFile(module, "utf8");
  await writeFile(module, text.replace("<p>Page", "<p>Side"));
  await running.says(/sites\.ts has changed: restarting\s+Restarted/);
  await running.says(/changed Page hello-1/);
  expect(await readFile(join(cwd, ".fettle/kubeconfig"), "utf8")).toContain(url);
  await writeFile(module, `${text}\nconst a = {;`);
  await running.says(/sites\.ts cannot be loaded: sites\.ts:\d+:\d+: [\s\S]*waiting for a file change/);
  await writeFile(module, text);
  await running.says(/Restarted[\s\S]*Restarted/);
  running.process.kill("SIGINT");
  expect(await running.ended).toBe(0);
  expect(running.out()).toMatch(/Stopped\. All data is on disk\.\n$/);
});

test("a second Ctrl-C exits at once", async () => {
  const cwd = await folderWith({
    "slow.ts": `
import { controller, resource } from "fettle";
import { z } from "zod";
const Nap = resource("demo.dev/v1", "Nap", { spec: z.object({ title: z.string() }) });
export const naps = controller({
  for: Nap,
  reconcile: () => new Promise(() => console.log("asleep")),
});
`,
    "nap.yaml": site("  title: Hello").replace("Site", "Nap"),
  });
  const running = fettle(["up", "--port", "0", "--store", "memory", "slow.ts", "nap.yaml"], { cwd });
  await running.says(/asleep/);
  await running.says(/Activity/);
  running.process.kill("SIGINT");
  await running.says(/Stopping/);
  running.process.kill("SIGINT");
  expect(await running.ended).toBe(130);
});

test("the first Ctrl-C ends a start that waits for a module", async () => {
  const module = `console.log("loading"); await new Promise(() => {}); export const nothing = 1;`;
  const cwd = await folderWith({ "sites.mjs": module });
  const running = fettle(["up", "sites.mjs", "--port", "0"], { cwd });
  await running.says(/loading/);
  running.process.kill("SIGINT");
  expect(await running.ended).toBe(130);
  expect(running.err()).toBe("Interrupted while loading sites.mjs.\n");
  expect(existsSync(join(cwd, ".fettle"))).toBe(false);
});
