import { expect, test } from "vitest";
import { ConnectionError } from "../../client/transport/transport.js";
import { fromStatus, VirtualClock } from "../../model/index.js";
import { recordingTerminal } from "../fixtures/terminal.js";
import { Reconnection } from "./reconnection.js";

const gone = new ConnectionError("the connection was refused");

test("reports a lost server once, waits longer before each attempt, and reports the reconnection", async () => {
  const terminal = recordingTerminal();
  const clock = new VirtualClock();
  const reconnection = new Reconnection(terminal, { clock });
  const waits: number[] = [];
  for (let tries = 0; tries < 7; tries++) {
    const start = clock.now();
    const lost = reconnection.lost(gone).then(() => waits.push(clock.now() - start));
    await clock.advance(10_000);
    await lost;
  }
  expect(terminal.err().match(/connection to the server lost/g)).toHaveLength(1);
  expect(terminal.err()).toContain("(the connection was refused)");
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  reconnection.reconnected();
  reconnection.reconnected();
  expect(terminal.err().match(/reconnected/g)).toHaveLength(1);
});

test("resumes streams without a gap, and throws permanent errors", async () => {
  const terminal = recordingTerminal();
  const clock = new VirtualClock();
  const reconnection = new Reconnection(terminal, { clock });
  let seen = 0;
  const streams = [
    async function* () {
      yield* [1, 2];
    },
    async function* () {
      yield 3;
      throw gone;
    },
    async function* () {
      yield 4;
      throw fromStatus({ code: 403, reason: "Forbidden", message: "not you" });
    },
  ];
  const probes: number[] = [];
  const all = reconnection.resumed(
    () => streams.shift()?.() ?? expect.unreachable(),
    async () => void probes.push(seen),
  );
  const reading = (async () => {
    for await (const value of all) seen = value;
  })();
  const failure = reading.catch((error: unknown) => error);
  while (streams.length > 0) await clock.advance(1000);
  expect(await failure).toMatchObject({ message: "not you" });
  expect(seen).toBe(4);
  expect(probes).toEqual([2, 3]);
});

test("Ctrl-C ends the wait and the stream", async () => {
  const terminal = recordingTerminal();
  const reconnection = new Reconnection(terminal, { clock: new VirtualClock() });
  const all = reconnection.resumed(
    async function* () {
      yield 1;
    },
    async () => {},
  );
  expect(await all.next()).toEqual({ done: false, value: 1 });
  const next = all.next();
  await terminal.warns("connection to the server lost");
  terminal.interrupt();
  expect(await next).toEqual({ done: true, value: undefined });
});
