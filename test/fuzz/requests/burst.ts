import { contentTypes, draft, type Draft } from "./draft.js";

/** More concurrent requests than a limit allows. */
export interface Burst {
  readonly name: string;
  readonly count: number;
  readonly draft: Draft;
  /** Part that is delayed so that all requests overlap: the response, the body, or none. */
  readonly held: "answer" | "body" | "nothing";
}

const configMaps = ["api", "v1", "namespaces", "default", "configmaps"];
const made = (given: Pick<Draft, "verb" | "method" | "segments"> & Partial<Draft>): Draft =>
  draft({ resource: undefined, family: "burst", ...given });

/** One burst for each limit: watches, writes, reads. */
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
