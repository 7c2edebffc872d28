import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../model/core.js";
import { kindOf, objectOf, runOf, writeOf } from "../../runs/fixtures/sample-run.js";
import type { Finding } from "./finding.js";
import { SetBacks } from "./set-backs.js";

type Content = Readonly<Record<string, unknown>>;

/** The site as somebody has left it: what they own, and what is in it. */
function site(manager: string | undefined, fields: Content, { metadata, ...content }: Content): KubeObject {
  const object = objectOf("Site", "hello", "0", content);
  const managedFields = [
    {
      manager: "creator",
      operation: "Update",
      time: "2026-01-01T00:00:00Z",
      fieldsV1: { "f:spec": { "f:pages": {} } },
    },
    { manager, operation: "Update", time: "2026-01-01T00:00:01Z", fieldsV1: fields },
  ];
  return {
    ...object,
    metadata: { ...object.metadata, ...(metadata as object), managedFields },
  } as KubeObject;
}

interface Round {
  readonly before: KubeObject;
  readonly after: KubeObject;
}

/** What is found when these writes come one after another, again and again. */
function findings(rounds: number, write: (round: number) => Round): readonly Finding[] {
  const setBacks = new SetBacks({ times: 3, window: 60_000 });
  let found: readonly Finding[] = [];
  let version = 1;
  const next = (object: KubeObject): KubeObject => {
    const metadata = { ...object.metadata, resourceVersion: String(version++) };
    return { ...object, metadata };
  };
  for (let round = 0; round < rounds; round++) {
    const { before, after } = write(round);
    const run = runOf({
      writes: [
        writeOf({
          kind: kindOf("Site"),
          name: "hello",
          verb: "patch",
          before: next(before),
          after: next(after),
        }),
      ],
    });
    setBacks.add(run, round * 1000);
    found = setBacks.findings(run, round * 1000);
  }
  return found;
}

const title = { "f:spec": { "f:title": {} } };
const titled = (manager: string | undefined, text: string, more: Content = {}): KubeObject =>
  site(manager, title, { spec: { title: text, ...more } });
const ready = (manager: string, reason: string, time: string): KubeObject =>
  site(
    manager,
    { "f:status": { "f:conditions": { 'k:{"type":"Ready"}': { ".": {}, "f:reason": {}, "f:status": {} } } } },
    {
      status: {
        conditions: [
          { type: "Other", status: "True", reason: "Same" },
          { type: "Ready", status: "True", reason, lastTransitionTime: time },
        ],
      },
    },
  );

describe("a fight over the object itself", () => {
  test("is found when the same values come back", () => {
    const write = (): Round => ({ before: titled("two", "two"), after: titled("one", "one") });
    expect(findings(3, write)).toEqual([]);
    expect(findings(4, write)).toEqual([
      {
        type: "fight",
        controller: "sites.demo.dev",
        object: "Site default/hello",
        message: "Site default/hello: two and one fight over spec.title (3 times in 2s)",
        count: 3,
        since: 1000,
        at: 3000,
        paths: ["spec.title"],
        managers: ["two", "one"],
      },
    ]);
  });

  test.each<[string, (round: number) => Round, Partial<Finding>]>([
    [
      "a condition, of which only what comes back is named",
      (round) => ({ before: ready("two", "Two", `a${round}`), after: ready("one", "One", `b${round}`) }),
      { paths: ['status.conditions[type="Ready"].reason'], managers: ["two", "one"] },
    ],
    [
      "a field that the other one takes away",
      () => ({
        before: site("two", { "f:spec": { "f:other": {} } }, { spec: {} }),
        after: site(
          "one",
          { "f:metadata": { "f:labels": {} } },
          { metadata: { labels: { app: "web" } }, spec: {} },
        ),
      }),
      { paths: ["metadata.labels.app"], managers: ["two", "one"] },
    ],
    [
      "a field that both write under the same name",
      () => ({ before: titled("fettle", "two"), after: titled("fettle", "one") }),
      {
        message:
          "Site default/hello: several who call themselves fettle fight over spec.title (5 times in 4s)",
        managers: ["fettle", "fettle"],
      },
    ],
    [
      "a field of which nobody knows the owners",
      () => ({
        before: objectOf("Site", "hello", "0", { spec: { title: "two" } }),
        after: objectOf("Site", "hello", "0", { spec: { title: "one" } }),
      }),
      { managers: ["somebody", "sites.demo.dev"] },
    ],
  ])("is about %s", (_, write, finding) => {
    expect(findings(6, write)).toMatchObject([finding]);
  });

  test.each<[string, (round: number) => Round]>([
    [
      "others want something else each time",
      (round) => ({ before: titled("two", `two ${round}`), after: titled("one", "one") }),
    ],
    [
      "we want something else each time",
      (round) => ({ before: titled("two", "two"), after: titled("one", `one ${round}`) }),
    ],
    [
      "others ask by a field that is taken away when it is done",
      () => ({
        before: site(
          "two",
          { "f:metadata": { "f:annotations": {} } },
          { metadata: { annotations: { go: "now" } } },
        ),
        after: site("one", {}, { metadata: {} }),
      }),
    ],
    [
      "others change the spec in between, and a state goes from hand to hand for it",
      (round) => ({
        before: site(
          "two",
          { "f:status": { "f:phase": {} } },
          { spec: { title: round }, status: { phase: "Ready" } },
        ),
        after: site(
          "one",
          { "f:status": { "f:phase": {} } },
          { spec: { title: round }, status: { phase: "New" } },
        ),
      }),
    ],
  ])("is none when %s", (_, write) => {
    expect(findings(20, write)).toEqual([]);
  });

  test("is about the object alone, and about what was written", () => {
    const setBacks = new SetBacks({ times: 1, window: 60_000 });
    const [before, after] = [titled("two", "two"), titled("one", "one")];
    const newer = { ...after, metadata: { ...after.metadata, resourceVersion: "1" } };
    const write = { kind: kindOf("Site"), name: "hello", verb: "patch", before, after: newer } as const;
    for (const other of [
      writeOf({ ...write, name: "other" }),
      writeOf({ ...write, error: "conflict" }),
      writeOf({ ...write, after }),
      writeOf({ ...write, before: undefined }),
    ]) {
      for (let time = 0; time < 4; time++) {
        const run = runOf({ writes: [other] });
        setBacks.add(run, time);
        expect(setBacks.findings(run, time)).toEqual([]);
      }
    }
  });
});
