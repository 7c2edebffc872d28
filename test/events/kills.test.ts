import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished } from "vitest";
import { testWithDice } from "../runtime/faults/seed.js";

/** Number of changes; a plain test run makes only a few. */
const changes = Number(process.env["FETTLE_EVENT_CHANGES"] ?? 4000);
const objects = 50;
const program = new URL("subscriber-process.mjs", import.meta.url).pathname;

/** One life of the process: until it is done, or it is killed some time after it has started. */
async function live(options: object, killAfter: number): Promise<"done" | "killed"> {
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (text: Buffer) => (errors += text.toString()));
  const exited = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once("exit", (_, signal) => resolve(signal));
  });
  let timer: NodeJS.Timeout | undefined;
  let isDone = false;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === "started") timer = setTimeout(() => child.kill("SIGKILL"), killAfter);
    if (line === "done") {
      isDone = true;
      clearTimeout(timer);
    }
  }
  const signal = await exited;
  clearTimeout(timer);
  if (!isDone) expect(signal, errors).toBe("SIGKILL");
  return isDone ? "done" : "killed";
}

testWithDice(
  `a durable subscriber that is killed at random times records all of ${changes} changes, in order per object`,
  async (dice) => {
    const data = mkdtempSync(join(tmpdir(), "fettle-event-kills-"));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    const journal = join(data, "journal");
    const perObject = Math.ceil(changes / objects);
    let kills = 0;
    while (
      (await live(
        { data: join(data, "plane"), journal, objects, changes: perObject },
        50 + dice.below(1500),
      )) === "killed"
    ) {
      if (++kills % 10 === 0) console.log(`  killed ${kills} times`);
    }
    expect(existsSync(journal)).toBe(true);
    const lastSeen = new Map<string, number>();
    let repeated = 0;
    for (const line of readFileSync(journal, "utf8").trimEnd().split("\n")) {
      const [name = "", text, , resync] = line.split(" ");
      const count = Number(text);
      const before = lastSeen.get(name) ?? 0;
      // After a kill events are delivered again; none is left out.
      expect(count, line).toBeLessThanOrEqual(before + 1);
      expect(resync, line).toBe("false");
      if (count <= before) repeated++;
      lastSeen.set(name, Math.max(before, count));
    }
    expect([...lastSeen.values()]).toEqual(Array.from({ length: objects }, () => perObject));
    console.log(`  ${kills} kills, ${repeated} of ${changes} events delivered again`);
  },
  changes * 5 + 120_000,
);
