// Controllers for the management API to report on: successful and failed runs, dead letters, children, cleanups.
import { z } from "zod";
import { controller, kind, plainController, resource } from "../../../dist/index.js";

const ConfigMap = kind("v1", "ConfigMap", { plural: "configmaps" });
const Secret = kind("v1", "Secret", { plural: "secrets" });
const Note = resource("tended.dev/v1", "Note", {
  spec: z.object({
    text: z.string().max(200).default("hello"),
    copies: z.number().int().min(0).max(3).default(1),
  }),
  status: z.object({ copies: z.number().int() }),
});

const backoff = { base: "1ms", max: "5ms", maxRetries: 2 };

/** Copies every note into Secrets, whose content must not be revealed. */
const notes = controller({
  for: Note,
  owns: [Secret],
  backoff,
  async reconcile({ name, spec }, { ensure, step, report, ready, fail, requeue }) {
    if (name === "hopeless") return fail("Refused", "this one is never copied");
    await step("read", () => spec.text);
    for (let copy = 0; copy < spec.copies; copy++)
      ensure(Secret, `${name}-copy-${copy}`, { stringData: { text: spec.text } });
    report({ copies: spec.copies });
    ready("Copied");
    return requeue("1h", "see that all is still in order");
  },
  cleanup: (_, { recordEvent }) => recordEvent("Gone", "the copies go too"),
});

/** Reconciles ConfigMaps, which requests create and delete; one of them always fails. */
const configMaps = plainController({
  for: ConfigMap,
  name: "configmaps",
  backoff,
  async reconcile({ name, namespace }, { client }) {
    const found = await client.find(ConfigMap, { name, namespace });
    if (found !== undefined && name === "hopeless") throw new Error("this one is too much");
  },
});

export const controllers = [notes, configMaps];
