import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../model/core.js";
import { kindOf, objectOf, runOf, writeOf } from "../../runs/fixtures/sample-run.js";
import type { WriteRecord } from "../../runs/run.js";
import { FieldFights } from "./field-fights.js";
import type { Finding } from "./finding.js";

type Content = Readonly<Record<string, unknown>>;

/** The site with some content, and the fields that its last writer owns. */
function site(manager: string | undefined, fields: Content, { metadata, ...content }: Content): KubeObject {
  const object = objectOf("Site", "hello", "0", content);
  const entry = (name: string | undefined, second: number, fieldsV1: Content) =>
    ({ manager: name, operation: "Update", time: `2026-01-01T00:00:0${second}Z`, fieldsV1 }) as const;
  const managedFields = [entry("creator", 0, { "f:spec": { "f:pages": {} } }), entry(manager, 1, fields)];
  return {
    ...object,
    metadata: { ...object.metadata, ...(metadata as object), managedFields },
  } as KubeObject;
}

interface Round {
  readonly before: KubeObject;
  readonly after: KubeObject;
}

/** Findings of the last of some writes, a second apart. */
function findings(
  rounds: number,
  round: (index: number) => Round,
  more: Partial<WriteRecord> = {},
  pause = 1000,
): readonly Finding[] {
  const fights = new FieldFights();
  let found: readonly Finding[] = [];
  let version = 1;
  const next = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, resourceVersion: String(version++) },
  });
  for (let index = 0; index < rounds; index++) {
    const { before, after } = round(index);
    const write = { kind: kindOf("Site"), name: "hello", before: next(before), after: next(after) };
    found = fights.add(runOf({ startedAt: index * pause }), writeOf({ ...write, ...more }));
  }
  return found;
}

const titled = (manager: string | undefined, title: string): KubeObject =>
  site(manager, { "f:spec": { "f:title": {} } }, { spec: { title } });
const setBack = (): Round => ({ before: titled("two", "two"), after: titled("one", "one") });
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
const phase = (manager: string, text: string, generation: number): KubeObject =>
  site(manager, { "f:status": { "f:phase": {} } }, { metadata: { generation }, status: { phase: text } });

describe("reports a fight", () => {
  test("when a field is set back for the third time within ten minutes", () => {
    expect(findings(3, setBack)).toEqual([]);
    expect(findings(4, setBack)).toEqual([
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
    expect(findings(20, setBack, {}, 300_001)).toEqual([]);
  });

  test.each<[string, (round: number) => Round, Partial<Finding>]>([
    [
      "over a child's field, whatever the other manager wants",
      (round) => ({ before: titled("kubectl-edit", `theirs ${round}`), after: titled("one", "one") }),
      { paths: ["spec.title"], managers: ["kubectl-edit", "one"] },
    ],
    [
      "over a condition, without the fields that have a new value each time",
      (round) => ({ before: ready("two", "Two", `a${round}`), after: ready("one", "One", `b${round}`) }),
      { paths: ['status.conditions[type="Ready"].reason'], managers: ["two", "one"] },
    ],
    [
      "over a field that the other manager removes",
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
      "over several fields, of which the message names three",
      () => ({
        before: site("two", { "f:spec": {} }, { spec: { a: 1, b: 1, c: 1, d: 1 } }),
        after: site("one", { "f:spec": {} }, { spec: { a: 2, b: 2, c: 2, d: 2 } }),
      }),
      {
        message:
          "Site default/hello: two and one fight over spec.a, spec.b, spec.c and 1 more fields (5 times in 4s)",
      },
    ],
    [
      "between clients with the same name",
      () => ({ before: titled("fettle", "two"), after: titled("fettle", "one") }),
      {
        message: "Site default/hello: several clients named fettle fight over spec.title (5 times in 4s)",
        managers: ["fettle", "fettle"],
      },
    ],
    [
      "when the object has no managed fields",
      () => ({
        before: objectOf("Site", "hello", "0", { spec: { title: "two" } }),
        after: objectOf("Site", "hello", "0", { spec: { title: "one" } }),
      }),
      { managers: ["an unknown manager", "sites.demo.dev"] },
    ],
  ])("%s", (_, round, finding) => {
    expect(findings(6, round)).toMatchObject([finding]);
  });
});

describe("reports no fight", () => {
  test.each<[string, (round: number) => Round, Partial<WriteRecord>?]>([
    [
      "when we write another value each time",
      (round) => ({ before: titled("two", "two"), after: titled("one", `one ${round}`) }),
    ],
    [
      "when we remove a field that others set as a request",
      () => ({
        before: site("two", {}, { metadata: { annotations: { go: "now" } } }),
        after: site("one", {}, { metadata: {} }),
      }),
    ],
    [
      "when a phase passes between controllers for every new generation",
      (round) => ({ before: phase("two", "Ready", round), after: phase("one", "New", round) }),
    ],
    ["for writes that failed", setBack, { error: "conflict" }],
    ["for objects that were not read before", setBack, { before: undefined }],
  ])("%s", (_, round, more) => {
    expect(findings(20, round, more)).toEqual([]);
  });
});
