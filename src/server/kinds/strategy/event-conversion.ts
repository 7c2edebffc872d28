import type { Draft } from "../../resources/resource-type.js";
import { normalizeObject } from "../typed/normalize.js";

/** Fields that have one name in core/v1 and another in events.k8s.io/v1. */
const renamed = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
] as const;

const fromCore: ReadonlyMap<string, string> = new Map(renamed);
const toCore: ReadonlyMap<string, string> = new Map(renamed.map(([core, events]) => [events, core]));

/** Converts a stored event (core/v1) to events.k8s.io/v1. */
export function toEventsV1(event: Draft): Draft {
  return convert(event, fromCore, "events.k8s.io/v1");
}

/** Converts an event of events.k8s.io/v1 to core/v1. */
export function toCoreV1(event: Draft): Draft {
  return convert(event, toCore, "v1");
}

/** View of an event of events.k8s.io/v1 with the names of core/v1. Shares its values: do not change them. */
export function withCoreNames(event: object): Record<string, unknown> {
  return rename(event, toCore);
}

function convert(event: Draft, names: ReadonlyMap<string, string>, apiVersion: string): Draft {
  const converted = { ...rename(event, names), apiVersion, kind: "Event" } as Draft;
  // The two versions also differ in which empty values they write.
  normalizeObject(converted);
  return converted;
}

function rename(event: object, names: ReadonlyMap<string, string>): Record<string, unknown> {
  const renamed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(event)) renamed[names.get(name) ?? name] = value;
  return renamed;
}
