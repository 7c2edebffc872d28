import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { command as config } from "../../src/cli/commands/config.js";
import { command as run } from "../../src/cli/commands/run.js";
import { command as up } from "../../src/cli/commands/up.js";
import { recordingTerminal, type RecordingTerminal } from "../../src/cli/fixtures/terminal.js";
import { runCommandLine } from "../../src/cli/program.js";
import { controlPlane } from "../../src/plane/control-plane.js";
import { describeWith, redis } from "../components/index.js";
import { folderWith } from "./folder.js";

/** An operator that writes to its state, and records how it behaves. */
const probe = `
import { writeFileSync } from "node:fs";
import { defineOperator } from "fettle";

export default defineOperator({
  name: "probe",
  async setup({ state }) {
    await state.set("seen", { n: 1 });
    const isCached = (await state.get("seen")) === (await state.get("seen"));
    writeFileSync(new URL("probe.json", import.meta.url), JSON.stringify({ isCached }));
  },
});
`;

const folder = (settings: string): Promise<string> =>
  folderWith({ "probe.ts": probe, "fettle.yaml": `modules: [probe.ts]\nstate: ${settings}\n` });

/** Runs `fettle up` during a test. */
async function whileUp(
  cwd: string,
  look: (terminal: RecordingTerminal) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const terminal = recordingTerminal({ cwd, env });
  const running = up.run?.([], { port: "0" }, terminal);
  try {
    await Promise.race([terminal.shows("Activity:"), running?.then(() => expect.unreachable("it ended"))]);
    await look(terminal);
  } finally {
    terminal.interrupt();
    await running;
  }
}

interface StoredEntry {
  readonly key: string;
  readonly value: unknown;
  readonly expires?: number;
}

/** Keys of the state in the store of the control plane of a folder. */
async function stored(cwd: string): Promise<readonly StoredEntry[]> {
  const terminal = recordingTerminal({ cwd });
  const code = await runCommandLine(["debug", "state", "--key", "probe/*", "-o", "json"], terminal);
  expect(code, terminal.err()).toBe(0);
  return (JSON.parse(terminal.out()) as { readonly entries: readonly StoredEntry[] }).entries;
}

const recorded = async (cwd: string): Promise<unknown> =>
  JSON.parse(await readFile(join(cwd, "probe.json"), "utf8")) as unknown;

test("by default the state is in the store, cached and permanent; debug state shows it", async () => {
  const cwd = await folder("{}");
  await whileUp(cwd, async () => {
    expect(await stored(cwd)).toEqual([
      { key: "/fettle/state/operators/probe/seen", revision: expect.any(Number), value: { n: 1 } },
    ]);
    expect(await recorded(cwd)).toEqual({ isCached: true });
  });
});

test("state.backend: memory keeps nothing in the store", async () => {
  const cwd = await folder("{ backend: memory }");
  await whileUp(cwd, async () => expect(await stored(cwd)).toEqual([]));
  const other = await folder("{}");
  await whileUp(other, async () => expect(await stored(other)).toEqual([]), {
    FETTLE_STATE_BACKEND: "memory",
  });
});

test("state.cache: 0 turns the cache off", async () => {
  const cwd = await folder("{ cache: 0 }");
  await whileUp(cwd, async () => expect(await recorded(cwd)).toEqual({ isCached: false }));
});

test("state.ttl is the default time to live", async () => {
  const cwd = await folder("{ ttl: 1h }");
  await whileUp(cwd, async () => {
    expect(await stored(cwd)).toMatchObject([{ expires: expect.any(Number) }]);
  });
});

test.each([
  [
    "{ url: 'http://:hunter2@host' }",
    "fettle.yaml:2:15: state.url: must be a URL that begins with redis:// or rediss://",
  ],
  [
    "{ url: 'redis://:hunter2@host/x' }",
    "state.url: the URL of Redis is invalid: the path must be the number of a database",
  ],
  ["{ backend: files }", 'fettle.yaml:2:19: state.backend: must be store, redis or memory, not "files"'],
  ["{ backend: redis }", "state.backend redis needs state.url"],
  ["{ cache: -1 }", "fettle.yaml:2:17: state.cache: must be an integer from 0, not -1"],
  ["{ ttl: soon }", 'fettle.yaml:2:15: state.ttl: must be a duration such as "30s" or "12h", not "soon"'],
  ["{ size: 1 }", 'unknown setting "size" in state; the settings are backend, url, cache, ttl'],
])("%s prevents the start", async (settings, message) => {
  const cwd = await folder(settings);
  const terminal = recordingTerminal({ cwd });
  const code = await runCommandLine(["up", "--port", "0"], terminal);
  expect(code).not.toBe(0);
  expect(terminal.err()).toContain(message);
  expect(terminal.err() + terminal.out()).not.toContain("hunter2");
  expect(existsSync(join(cwd, "probe.json"))).toBe(false);
});

test("fettle config hides passwords, also malformed ones", async () => {
  for (const url of [
    "redis://:hunter2@host",
    "redis://user:hunter/2@x@host/1",
    "rediss://a:hunter2@host:1/2",
  ]) {
    const cwd = await folder(`{ url: "${url}" }`);
    for (const output of ["table", "yaml", "json"]) {
      const terminal = recordingTerminal({ cwd });
      await config.run?.([], output === "table" ? {} : { output }, terminal);
      expect(terminal.out()).toContain("[hidden]");
      expect(terminal.out()).not.toContain("hunter");
    }
  }
});

describeWith("state in Redis by configuration", redis, (get) => {
  const keys = async (): Promise<readonly string[]> => {
    const client = new Redis(get().url);
    onTestFinished(() => client.disconnect());
    const found = await client.keys("*");
    await client.flushall();
    return found;
  };

  test("state.url keeps it there, with fettle up and fettle run", async () => {
    const cwd = await folder(`{ url: '${get().url}' }`);
    await whileUp(cwd, async () => expect(await stored(cwd)).toEqual([]));
    expect(await keys()).toEqual(["fettle:state:operators/probe/seen"]);
    const byVariable = await folder("{}");
    await whileUp(byVariable, async () => {}, { FETTLE_STATE_URL: get().url });
    expect(await keys()).toEqual(["fettle:state:operators/probe/seen"]);
    await using home = await controlPlane({
      store: "memory",
      data: join(cwd, ".fettle2"),
      listen: { port: 0 },
    });
    const terminal = await runOnce(cwd, home.kubeconfig);
    expect(terminal.out()).not.toContain("kept in memory");
    expect(await keys()).toEqual(["fettle:state:operators/probe/seen"]);
  });
});

test("fettle run keeps the state in memory with a warning, and refuses the store", async () => {
  const cwd = await folder("{}");
  await using home = await controlPlane({ store: "memory", data: join(cwd, ".home"), listen: { port: 0 } });
  expect((await runOnce(cwd, home.kubeconfig)).out()).toContain("the state is kept in memory");
  const explicit = await folder("{ backend: memory }");
  expect((await runOnce(explicit, home.kubeconfig)).out()).not.toContain("kept in memory");
  const refused = await folder("{ backend: store }");
  await expect(runOnce(refused, home.kubeconfig)).rejects.toThrow("choose redis or memory");
});

/** Runs `fettle run` until its controllers have started. */
async function runOnce(cwd: string, kubeconfig: string | undefined): Promise<RecordingTerminal> {
  const terminal = recordingTerminal({ cwd });
  const running = run.run?.(
    [],
    { healthPort: "0", leaderElection: false, kubeconfig: kubeconfig ?? "" },
    terminal,
  );
  await Promise.race([terminal.shows(/"msg":"fettle runs"/), running]);
  terminal.interrupt();
  await running;
  return terminal;
}
