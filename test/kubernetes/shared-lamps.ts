import { appendFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { controller, resource } from "fettle";
import { ConfigMap } from "fettle/kubernetes";
import { z } from "zod";

/*
 * Module of the processes in sharding.test.ts. Each of them is called as `WHO` says, and writes down in the file
 * `EFFECTS` what it begins and ends.
 */
const { WHO: who = "nobody", EFFECTS: effects = "" } = process.env;

export const Lamp = resource("shared.demo.dev/v1", "Lamp", {
  spec: z.object({ color: z.string() }),
  status: z.object({ color: z.string().optional(), by: z.string().optional() }),
});

interface LampObject {
  readonly name: string;
  readonly metadata: { readonly uid?: string | undefined };
  readonly spec: { readonly color: string };
}

async function effect(
  what: "publish" | "unpublish",
  { name, metadata: { uid = "" }, spec: { color: text } }: LampObject,
  signal: AbortSignal,
): Promise<void> {
  const note = (phase: "start" | "end" | "cut"): void =>
    appendFileSync(effects, `${JSON.stringify({ at: Date.now(), who, what, phase, name, uid, text })}\n`);
  note("start");
  try {
    await setTimeout(20, undefined, { signal });
  } catch (error) {
    note("cut");
    throw error;
  }
  note("end");
}

export const lamps = controller({
  for: Lamp,
  owns: [ConfigMap],
  async reconcile(lamp, { ensure, step, report }) {
    const { color } = lamp.spec;
    ensure(ConfigMap, `shade-of-${lamp.name}`, { data: { color } });
    await step("light", (signal) => effect("publish", lamp, signal));
    report({ color, by: who });
  },
  cleanup: (lamp, { step }) => step("put out", (signal) => effect("unpublish", lamp, signal)),
});
