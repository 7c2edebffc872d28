import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { recordingTerminal, type RecordingTerminal } from "../../src/cli/fixtures/terminal.js";
import { runCommandLine } from "../../src/cli/program.js";
import { controlPlane, type ControlPlane } from "../../src/plane/control-plane.js";
import { controller } from "../../src/runtime/controller/controller.js";
import { freePorts } from "../components/process/port.js";
import { fettle } from "./fettle-process.js";
import { Note } from "./site-plane.js";

let data: string;
let port: number;
let plane: ControlPlane;

const notes = controller({
  for: Note,
  reconcile(object, { recordEvent }) {
    recordEvent("Seen", `saw ${object.spec.text ?? ""}`);
  },
});

async function start(): Promise<ControlPlane> {
  return await controlPlane({ controllers: [notes], data, listen: { port } });
}

/** Stops the control plane and starts it again on its data, as a deployment does. */
async function restarted(meanwhile: () => Promise<unknown>): Promise<void> {
  await plane.stop();
  await meanwhile();
  plane = await start();
}

async function write(text: string): Promise<void> {
  await plane.apply({ apiVersion: "demo.dev/v1", kind: "Note", metadata: { name: "one" }, spec: { text } });
}

function follow(words: string): { terminal: RecordingTerminal; done: Promise<number> } {
  const terminal = recordingTerminal({ env: { KUBECONFIG: plane.kubeconfig } });
  const received = (): number | undefined => (terminal.signal.aborted ? 130 : undefined);
  return { terminal, done: runCommandLine(words.split(" "), terminal, received) };
}

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "fettle-reconnect-"));
  ({ port } = await freePorts(["port"]));
  plane = await start();
  await write("first");
  await plane.controllers.idle();
});
afterEach(async () => {
  await plane.stop();
  await rm(data, { recursive: true, force: true });
});

const away = /^fettle: connection to the server lost; reconnecting/m;

test.each([
  ["get notes -w", "one", /(one[^]*){3}/],
  ["get note one -w -o jsonpath={.spec.text}", "first", "third"],
  ["watch notes -o json", undefined, "third"],
  ["tree note/one -w -o json", "Note", "Note"],
  ["events -w", "saw first", "saw third"],
  ["why note/one -w", "it was created", /(it was changed[^]*){2}/],
  ["top -w -o json", "uptime", undefined],
  ["debug events -f --kind note", "ADDED", /(spec\.text: [^]*){2}third/],
  ["debug trace -f", undefined, /(Note default\/one[^]*){2}/],
])("fettle %s reports a lost connection and continues where it was", async (words, before, after) => {
  const { terminal, done } = follow(words);
  if (before !== undefined) await terminal.shows(before);
  if (words.startsWith("watch") || words.includes("trace")) await untilFollowed(words, terminal);
  await restarted(() => terminal.warns(away));
  const printedBefore = terminal.out().length;
  await write("second");
  await plane.controllers.idle();
  await terminal.warns(/^fettle: reconnected$/m);
  await write("third");
  if (after !== undefined) await terminal.shows(after);
  else await expect.poll(() => terminal.out().length).toBeGreaterThan(printedBefore);
  expect(terminal.err().match(new RegExp(away, "gm"))).toHaveLength(1);
  terminal.interrupt();
  expect(await done).toBe(130);
});

/** Waits until commands without initial output show that they follow. */
async function untilFollowed(words: string, terminal: RecordingTerminal): Promise<void> {
  const text = words.startsWith("watch") ? '"MODIFIED"' : "outcome";
  for (let tries = 0; !terminal.out().includes(text); tries++) {
    await write(`try ${tries}`);
    await terminal.shows(text, 500).catch(() => {});
  }
}

test("the process stays alive between reconnection attempts", async () => {
  const env = { KUBECONFIG: plane.kubeconfig ?? "" };
  const running = fettle(["get", "notes", "-w", "-o", "jsonpath={.spec.text}"], { env });
  await running.says(/first/);
  await restarted(() => running.says(away));
  await running.says(/^fettle: reconnected$/m);
  await write("second");
  await running.says(/second/);
  running.process.kill("SIGINT");
  expect(await running.ended).toBe(130);
});

test("Ctrl-C stops it at once, also while reconnecting", async () => {
  const { terminal, done } = follow("why note/one -w");
  await terminal.shows("it was created");
  await plane.stop();
  await terminal.warns(away);
  terminal.interrupt();
  expect(await done).toBe(130);
});

test("fails if the server cannot be reached at first", async () => {
  await plane.stop();
  for (const words of ["why note/one -w", "get notes -w", "top -w", "events -w", "debug events -f"]) {
    const { terminal, done } = follow(words);
    expect(await done).toBe(1);
    expect(terminal.err()).toMatch(/^fettle: .*cannot be reached|ECONNREFUSED/);
  }
});
