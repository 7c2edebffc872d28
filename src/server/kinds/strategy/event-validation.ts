import { fieldErrors, type Json } from "../../../model/core.js";
import { inKeyOrder } from "../../../model/object/bad-value.js";
import { validateQualifiedName } from "../../../model/object/names.js";
import { utf8Length } from "../../../model/object/utf8.js";
import { jsonEqual } from "../../../model/object/json.js";
import type { CoreEvent, Reference } from "./event-fields.js";

type FieldError = fieldErrors.FieldError;
const { invalid, required } = fieldErrors;

/**
 * Faults of a new event. `strict`: the rules of events.k8s.io/v1; core/v1 accepts almost anything. As in Kubernetes, errors
 * have the field names of core/v1 in both cases.
 */
export function validateEvent(event: CoreEvent, strict: boolean): FieldError[] {
  const errors = validateForm(event, strict);
  if (!strict) return errors;
  errors.push(...validateSeries(event));
  if (!event.eventTime) errors.push(required("eventTime"));
  if (event.type !== "Normal" && event.type !== "Warning") {
    errors.push(invalid("type", "", `has invalid value: ${event.type ?? ""}`));
  }
  const unset = "needs to be unset";
  if (event.firstTimestamp) errors.push(invalid("firstTimestamp", "", unset));
  if (event.lastTimestamp) errors.push(invalid("lastTimestamp", "", unset));
  if (event.count) errors.push(invalid("count", "", unset));
  if (event.source?.component || event.source?.host) errors.push(invalid("source", "", unset));
  return errors;
}

/** Faults of an update of an event. */
export function validateEventUpdate(event: CoreEvent, old: CoreEvent, strict: boolean): FieldError[] {
  const errors = validateForm(event, strict);
  if (!strict) return errors;
  if (!same(event.series, old.series)) errors.push(...validateSeries(event));
  for (const [name, read] of immutable) {
    const value = read(event);
    if (!same(value, read(old))) errors.push(invalid(name, withGoNames(value), "field is immutable"));
  }
  return errors;
}

const immutable: readonly (readonly [string, (event: CoreEvent) => unknown])[] = [
  ["involvedObject", (event) => referenceInGo(event.involvedObject ?? {})],
  ["reason", (event) => event.reason ?? ""],
  ["message", (event) => event.message ?? ""],
  ["source", ({ source }) => ({ Component: source?.component ?? "", Host: source?.host ?? "" })],
  ["firstTimestamp", (event) => event.firstTimestamp ?? null],
  ["lastTimestamp", (event) => event.lastTimestamp ?? null],
  ["count", (event) => event.count ?? 0],
  ["type", (event) => event.type ?? ""],
  ["eventTime", (event) => event.eventTime ?? null],
  ["action", (event) => event.action ?? ""],
  ["related", ({ related }) => (related ? referenceInGo(related) : null)],
  ["reportingController", (event) => event.reportingComponent ?? ""],
  ["reportingInstance", (event) => event.reportingInstance ?? ""],
];

/** Value in errors, with Go's field names. */
function referenceInGo(reference: Reference): object {
  return {
    Kind: reference.kind ?? "",
    Namespace: reference.namespace ?? "",
    Name: reference.name ?? "",
    UID: reference.uid ?? "",
    APIVersion: reference.apiVersion ?? "",
    ResourceVersion: reference.resourceVersion ?? "",
    FieldPath: reference.fieldPath ?? "",
  };
}

function withGoNames(value: unknown): unknown {
  return typeof value === "object" && value !== null ? inKeyOrder(value) : value;
}

function same(left: unknown, right: unknown): boolean {
  return jsonEqual((left ?? null) as Json, (right ?? null) as Json);
}

function validateSeries({ series }: CoreEvent): FieldError[] {
  if (!series) return [];
  const errors: FieldError[] = [];
  if ((series.count ?? 0) < 2) errors.push(invalid("series.count", "", "should be at least 2"));
  if (!series.lastObservedTime) errors.push(required("series.lastObservedTime"));
  return errors;
}

/** Rules for all events. Events with an eventTime follow the rules of events.k8s.io in either version. */
function validateForm(event: CoreEvent, strict: boolean): FieldError[] {
  return event.eventTime ? validateNewForm(event, strict) : validateOldForm(event);
}

function validateOldForm({ metadata, involvedObject }: CoreEvent): FieldError[] {
  const namespace = metadata.namespace ?? "";
  const involved = involvedObject?.namespace ?? "";
  // Events about cluster-scoped objects are in the default namespace.
  const fits = involved === "" ? namespace === "" || namespace === "default" : namespace === involved;
  return fits ? [] : [namespaceMismatch(involved)];
}

function namespaceMismatch(involved: string): FieldError {
  return invalid("involvedObject.namespace", involved, "does not match event.namespace");
}

function validateNewForm(event: CoreEvent, strict: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const namespace = event.metadata.namespace ?? "";
  const involved = event.involvedObject?.namespace ?? "";
  if (involved === "" && namespace !== "default" && namespace !== "kube-system") {
    errors.push(namespaceMismatch(involved));
  }
  const reporter = event.reportingComponent ?? "";
  const reporterField = strict ? "reportingController" : "reportingComponent";
  if (reporter === "") errors.push(required(reporterField));
  for (const fault of validateQualifiedName(reporter)) errors.push(invalid(reporterField, reporter, fault));
  for (const [name, value = "", limit] of [
    ["reportingInstance", event.reportingInstance, 128],
    ["action", event.action, 128],
    ["reason", event.reason, 128],
    ["message", event.message, 1024],
  ] as const) {
    if (value === "" && name !== "message") errors.push(required(name));
    if (utf8Length(value) > limit) errors.push(invalid(name, "", `can have at most ${limit} characters`));
  }
  return errors;
}
