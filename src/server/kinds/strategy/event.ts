import { type KubeObject, names } from "../../../model/core.js";
import type { ValidateName } from "../../../model/object/names.js";
import type { KindStrategy, TableColumn } from "../../resources/resource-type.js";
import { ageOf, nameColumn } from "../../output-formats/columns.js";
import { column } from "./columns.js";
import { toCoreV1, toEventsV1 } from "./event-conversion.js";
import { asCoreEvent, type CoreEvent, type Reference } from "./event-fields.js";
import { validateEvent, validateEventUpdate } from "./event-validation.js";
import type { KindRules } from "./kind-rules.js";

const hour = 60 * 60 * 1000;

// Declared before the constants that use it.
const referenceFields = [
  "kind",
  "namespace",
  "name",
  "uid",
  "apiVersion",
  "resourceVersion",
  "fieldPath",
] as const satisfies readonly (keyof Reference)[];

/** Events of core/v1, the storage version. */
export const coreEvent: KindRules = {
  columns: columns(),
  selectableFields: selectableFields("involvedObject", "reportingComponent", [
    ["source", ({ source, reportingComponent }) => source?.component || reportingComponent],
  ]),
  strategy: strategy(names.validatePathSegmentName, false),
};

/** The same events as events.k8s.io/v1, with stricter validation. */
export const newEvent: KindRules = {
  columns: columns(),
  selectableFields: selectableFields("regarding", "reportingController", []),
  strategy: strategy(names.nameIsDns1123Subdomain, true),
  storage: {
    prefix: "/core/events/",
    apiVersion: "v1",
    kind: "Event",
    conversion: { fromStorage: toEventsV1, toStorage: toCoreV1 },
  },
};

function strategy(validateName: ValidateName, strict: boolean): KindStrategy {
  return {
    validateName,
    generation: false,
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: true,
    ttl: hour,
    validate: (object) => validateEvent(asCoreEvent(object), strict),
    validateUpdate: (object, old) => validateEventUpdate(asCoreEvent(object), asCoreEvent(old), strict),
  };
}

type Read = (event: CoreEvent) => string | undefined;

function selectableFields(
  reference: string,
  reporter: string,
  more: readonly [string, Read][],
): ReadonlyMap<string, (object: KubeObject) => string> {
  const fields: [string, Read][] = [
    ...referenceFields.map((name): [string, Read] => [
      `${reference}.${name}`,
      ({ involvedObject }) => involvedObject?.[name],
    ]),
    ["reason", ({ reason }) => reason],
    [reporter, ({ reportingComponent }) => reportingComponent],
    ["type", ({ type }) => type],
    ...more,
  ];
  return new Map(fields.map(([name, read]) => [name, (object) => read(asCoreEvent(object)) ?? ""]));
}

function columns(): TableColumn[] {
  const of =
    (cell: (event: CoreEvent, now: number) => string | number): TableColumn["cell"] =>
    (object, now) =>
      cell(asCoreEvent(object), now);
  const wide = { priority: 1 };
  return [
    column("Last Seen", "Time since the last occurrence.", of(lastSeen)),
    column(
      "Type",
      "Normal or Warning.",
      of(({ type }) => type ?? ""),
    ),
    column(
      "Reason",
      "Machine-readable reason.",
      of(({ reason }) => reason ?? ""),
    ),
    column(
      "Object",
      "Object that the event is about.",
      of(({ involvedObject }) => target(involvedObject)),
    ),
    column(
      "Subobject",
      "Part of the object that the event is about.",
      of(({ involvedObject }) => involvedObject?.fieldPath ?? ""),
      wide,
    ),
    column("Source", "Component that reported the event.", of(source), wide),
    column(
      "Message",
      "Human-readable message.",
      of(({ message }) => (message ?? "").trim()),
    ),
    column("First Seen", "Time since the first occurrence.", of(firstSeen), wide),
    column("Count", "Number of occurrences.", of(count), wide),
    { ...nameColumn, ...wide },
  ];
}

function firstSeen({ firstTimestamp, eventTime }: CoreEvent, now: number): string {
  return ageOf(firstTimestamp || eventTime, now);
}

function lastSeen(event: CoreEvent, now: number): string {
  if (event.series) return ageOf(event.series.lastObservedTime, now);
  return event.lastTimestamp ? ageOf(event.lastTimestamp, now) : firstSeen(event, now);
}

/** Events that occurred once have no count in events.k8s.io. */
function count({ series, count }: CoreEvent): number {
  return series ? (series.count ?? 0) : count || 1;
}

function target(object: Reference | undefined): string {
  const kind = (object?.kind ?? "").toLowerCase();
  return object?.name ? `${kind}/${object.name}` : kind;
}

function source({ source, reportingComponent, reportingInstance }: CoreEvent): string {
  const component = source?.component || reportingComponent || "";
  const instance = source?.host || reportingInstance || "";
  return instance === "" ? component : `${component}, ${instance}`;
}
