import { contentTypes, draft, type Draft } from "./draft.js";

/** More requests at once than there is room for. */
export interface Burst {
  readonly name: string;
  readonly count: number;
  readonly draft: Draft;
  /** What keeps each of them from being over before the last has come: its answer, its body, or nothing. */
  readonly held: "answer" | "body" | "nothing";
}

const configMaps = ["api", "v1", "namespaces", "default", "configmaps"];
const made = (given: Pick<Draft, "verb" | "method" | "segments"> & Partial<Draft>): Draft =>
  draft({ resource: undefined, family: "burst", ...given });

/** One for each of the limits: of watches, of writes, of reads. */
export const bursts: readonly Burst[] = [
  {
    name: "watches that stay",
    count: 60,
    held: "answer",
    draft: made({
      verb: "watch",
      method: "GET",
      segments: configMaps,
      query: [
        ["watch", "1"],
        ["timeoutSeconds", "5"],
      ],
    }),
  },
  {
    name: "writes whose body is not there yet",
    count: 60,
    held: "body",
    draft: made({
      verb: "create",
      method: "POST",
      segments: configMaps,
      query: [["dryRun", "All"]],
      headers: [["content-type", contentTypes.json]],
      value: { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "burst-" } },
    }),
  },
  {
    name: "questions that take a moment",
    count: 100,
    held: "nothing",
    draft: made({ verb: "read", method: "GET", segments: ["fettle", "v1", "top"] }),
  },
];
