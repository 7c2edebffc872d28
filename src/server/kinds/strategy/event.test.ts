import { describe, expect, test } from "vitest";
import { fieldErrors, type KubeObject } from "../../../model/core.js";
import type { Draft } from "../../resources/resource-type.js";
import { toCoreV1, toEventsV1 } from "./event-conversion.js";
import { coreEvent, newEvent } from "./event.js";
import type { KindRules } from "./kind-rules.js";

const reference = { kind: "Pod", namespace: "n", name: "p", uid: "u", apiVersion: "v1", fieldPath: "spec" };
const eventTime = "1970-01-01T00:01:00.000000Z";

function core(fields: object): Draft {
  return { apiVersion: "v1", kind: "Event", metadata: { name: "e", namespace: "n" }, ...fields };
}

function newer(fields: object): Draft {
  return { ...core(fields), apiVersion: "events.k8s.io/v1" };
}

const goodNew = {
  eventTime,
  regarding: reference,
  reportingController: "demo.dev/c",
  reportingInstance: "i",
  action: "Started",
  reason: "Go",
  type: "Normal",
};

describe("conversion", () => {
  test("renames the fields that differ, in both directions", () => {
    const stored = core({
      involvedObject: reference,
      reason: "R",
      message: "M",
      source: { component: "c" },
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:01Z",
      count: 2,
      type: "Normal",
      eventTime: null,
      series: { count: 2, lastObservedTime: eventTime },
      action: "A",
      related: { name: "r" },
      reportingComponent: "rc",
      reportingInstance: "ri",
    });
    const shown = toEventsV1(structuredClone(stored));
    expect(shown).toEqual({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: "e", namespace: "n" },
      eventTime: null,
      series: { count: 2, lastObservedTime: eventTime },
      reportingController: "rc",
      reportingInstance: "ri",
      action: "A",
      reason: "R",
      regarding: reference,
      related: { name: "r" },
      note: "M",
      type: "Normal",
      deprecatedSource: { component: "c" },
      deprecatedFirstTimestamp: "2026-01-01T00:00:00Z",
      deprecatedLastTimestamp: "2026-01-01T00:00:01Z",
      deprecatedCount: 2,
    });
    expect(toCoreV1(shown)).toEqual(stored);
  });

  test("writes the empty values of the target version", () => {
    expect(toCoreV1(newer({}))).toMatchObject({ reportingComponent: "", source: {}, firstTimestamp: null });
    expect(toEventsV1(core({ reportingComponent: "" }))).not.toHaveProperty("reportingController");
  });

  test("is how events.k8s.io/v1 is stored", () => {
    expect(newEvent.storage).toMatchObject({
      prefix: "/core/events/",
      apiVersion: "v1",
      kind: "Event",
      conversion: { fromStorage: toEventsV1, toStorage: toCoreV1 },
    });
  });
});

function faults({ strategy }: KindRules, event: Draft): string[] {
  return (strategy.validate?.(event) ?? []).map(fieldErrors.renderFieldError);
}

describe("faults of new events", () => {
  const elsewhere = 'involvedObject.namespace: Invalid value: "x": does not match event.namespace';

  test.each<[string, KindRules, Draft, string[]]>([
    ["an old one", coreEvent, core({ involvedObject: reference }), []],
    ["an old one of elsewhere", coreEvent, core({ involvedObject: { namespace: "x" } }), [elsewhere]],
    [
      "an old one about a node",
      coreEvent,
      core({ metadata: { namespace: "default" }, involvedObject: {} }),
      [],
    ],
    [
      "an old one about a node, misplaced",
      coreEvent,
      core({ involvedObject: {} }),
      ['involvedObject.namespace: Invalid value: "": does not match event.namespace'],
    ],
    [
      "a new one through the old version",
      coreEvent,
      core({ eventTime, involvedObject: reference }),
      [
        "reportingComponent: Required value",
        'reportingComponent: Invalid value: "": name part must be non-empty',
        expect.stringContaining('reportingComponent: Invalid value: "": name part must consist of'),
        "reportingInstance: Required value",
        "action: Required value",
        "reason: Required value",
      ],
    ],
    ["a new one", newEvent, newer(goodNew), []],
    [
      "a new one with old fields",
      newEvent,
      newer({
        ...goodNew,
        type: "Odd",
        deprecatedFirstTimestamp: eventTime,
        deprecatedLastTimestamp: eventTime,
        deprecatedCount: 1,
        deprecatedSource: { host: "h" },
      }),
      [
        'type: Invalid value: "": has invalid value: Odd',
        'firstTimestamp: Invalid value: "": needs to be unset',
        'lastTimestamp: Invalid value: "": needs to be unset',
        'count: Invalid value: "": needs to be unset',
        'source: Invalid value: "": needs to be unset',
      ],
    ],
    [
      "a new one without a time",
      newEvent,
      newer({ ...goodNew, eventTime: null, series: { count: 1 } }),
      [
        'series.count: Invalid value: "": should be at least 2',
        "series.lastObservedTime: Required value",
        "eventTime: Required value",
      ],
    ],
    [
      "a wordy one",
      newEvent,
      newer({
        ...goodNew,
        reportingInstance: "x".repeat(129),
        action: "x".repeat(129),
        reason: "x".repeat(129),
        note: "x".repeat(1025),
      }),
      [
        'reportingInstance: Invalid value: "": can have at most 128 characters',
        'action: Invalid value: "": can have at most 128 characters',
        'reason: Invalid value: "": can have at most 128 characters',
        'message: Invalid value: "": can have at most 1024 characters',
      ],
    ],
  ])("%s", (_, rules, event, expected) => {
    expect(faults(rules, event)).toEqual(expected);
  });
});

describe("faults of changed events", () => {
  const change = ({ strategy }: KindRules, event: Draft, old: Draft): string[] =>
    (strategy.validateUpdate?.(event, old as KubeObject) ?? []).map(fieldErrors.renderFieldError);

  test("events.k8s.io/v1 allows changes of the series only", () => {
    const old = newer(goodNew);
    const series = { count: 2, lastObservedTime: eventTime };
    expect(change(newEvent, newer({ ...goodNew, series }), old)).toEqual([]);
    expect(
      change(newEvent, newer({ ...goodNew, series: { count: 1, lastObservedTime: eventTime } }), old),
    ).toEqual(['series.count: Invalid value: "": should be at least 2']);
    expect(
      change(
        newEvent,
        newer({ ...goodNew, regarding: { ...reference, name: "q" }, note: "new", related: {} }),
        old,
      ),
    ).toEqual([
      'involvedObject: Invalid value: {"Kind":"Pod","Namespace":"n","Name":"q","UID":"u","APIVersion":"v1","ResourceVersion":"","FieldPath":"spec"}: field is immutable',
      'message: Invalid value: "new": field is immutable',
      'related: Invalid value: {"Kind":"","Namespace":"","Name":"","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
    ]);
  });

  test("core/v1 allows all changes", () => {
    const old = core({ involvedObject: reference });
    expect(change(coreEvent, core({ involvedObject: reference, message: "new", count: 2 }), old)).toEqual([]);
  });
});

function cells({ columns }: KindRules, event: Draft, now: number): Record<string, unknown> {
  return Object.fromEntries(columns.map(({ name, cell }) => [name, cell(event as KubeObject, now)]));
}

describe("columns", () => {
  test("of core/v1 events", () => {
    const event = core({
      involvedObject: { ...reference, kind: "ConfigMap" },
      reason: "R",
      message: " it \n",
      source: { component: "c", host: "h" },
      firstTimestamp: "1970-01-01T00:00:00Z",
      lastTimestamp: "1970-01-01T00:01:00Z",
      count: 3,
      type: "Normal",
    });
    expect(cells(coreEvent, event, 90_000)).toEqual({
      "Last Seen": "30s",
      Type: "Normal",
      Reason: "R",
      Object: "configmap/p",
      Subobject: "spec",
      Source: "c, h",
      Message: "it",
      "First Seen": "90s",
      Count: 3,
      Name: "e",
    });
    const wide = coreEvent.columns.filter(({ priority }) => priority > 0).map(({ name }) => name);
    expect(wide).toEqual(["Subobject", "Source", "First Seen", "Count", "Name"]);
  });

  test("of events.k8s.io/v1 events", () => {
    const event = newer({ ...goodNew, note: "note" });
    expect(cells(newEvent, event, 90_000)).toMatchObject({
      "Last Seen": "30s",
      "First Seen": "30s",
      Source: "demo.dev/c, i",
      Message: "note",
      Count: 1,
      Object: "pod/p",
    });
    const series = { count: 7, lastObservedTime: "1970-01-01T00:01:20.000000Z" };
    expect(cells(newEvent, newer({ ...goodNew, series }), 90_000)).toMatchObject({
      "Last Seen": "10s",
      Count: 7,
    });
    expect(cells(coreEvent, core({}), 0)).toMatchObject({ "Last Seen": "<unknown>", Object: "", Source: "" });
  });
});

test("selectable fields", () => {
  const read = ({ selectableFields }: KindRules, event: Draft): Record<string, string> =>
    Object.fromEntries(
      [...(selectableFields ?? [])].map(([name, value]) => [name, value(event as KubeObject)]),
    );
  expect(
    read(coreEvent, core({ involvedObject: reference, reason: "R", type: "T", reportingComponent: "c" })),
  ).toEqual({
    "involvedObject.kind": "Pod",
    "involvedObject.namespace": "n",
    "involvedObject.name": "p",
    "involvedObject.uid": "u",
    "involvedObject.apiVersion": "v1",
    "involvedObject.resourceVersion": "",
    "involvedObject.fieldPath": "spec",
    reason: "R",
    reportingComponent: "c",
    type: "T",
    source: "c",
  });
  expect(read(newEvent, newer(goodNew))).toMatchObject({
    "regarding.name": "p",
    reportingController: "demo.dev/c",
    type: "Normal",
  });
});
