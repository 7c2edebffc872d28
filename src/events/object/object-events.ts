import { classify, sameObject } from "../../client/source/classify.js";
import {
  diff,
  formatTime,
  parseApiVersion,
  type Condition,
  type FieldChange,
  type Json,
  type KubeObject,
} from "../../model/core.js";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import { comparableVersions, withoutSecrets } from "../../runtime/log/secrets.js";
import { conditionChanged, objectVerbs, type EventNaming, type ObjectTransition } from "./event-naming.js";

/** A version of an object, and what it replaced. */
export interface ObjectVersions {
  /** Revision at which the change was committed. */
  readonly revision: string;
  /** Undefined when the object was deleted. */
  readonly now: KubeObject | undefined;
  readonly old: KubeObject | undefined;
  /** True for an object that exists, when its changes are not known. */
  readonly resync?: boolean | undefined;
}

export interface ObjectEventsOptions {
  readonly naming: EventNaming;
  /** Source of the events. */
  readonly source: string;
  /** Plural name of the kind, for the subject. */
  readonly plural: string;
  /** Time in the event when the objects do not tell it, in milliseconds since 1970. */
  readonly now: number;
}

/** Metadata that changes with every write, and is no change by itself. */
const bookkeeping = ["metadata.managedFields", "metadata.resourceVersion", "metadata.generation"];

/**
 * Events about a change of an object: created, updated, status_updated or deleted, and one for each condition that changed. None
 * if nothing but bookkeeping changed. Their ids follow from the uid of the object and the revision, so that the same change gives
 * the same events again after a crash. Contents of Secrets are left out.
 */
export function objectEvents(versions: ObjectVersions, options: ObjectEventsOptions): readonly CloudEvent[] {
  const { now, old, revision } = versions;
  if (now !== undefined && old !== undefined && !sameObject(old, now)) {
    // Replaced by another object of the same name.
    return [
      ...objectEvents({ now: undefined, old, revision }, options),
      ...objectEvents({ now, old: undefined, revision }, options),
    ];
  }
  const transition = transitionOf(now, old);
  if (transition === undefined) return [];
  const { object } = transition;
  const { prefix, data = describeTransition } = options.naming.of(object);
  const attributes = {
    specversion: "1.0",
    source: options.source,
    subject: objectPath(object, options.plural),
    time: timeOf(transition, options.now),
    datacontenttype: "application/json",
    objectapiversion: object.apiVersion,
    objectkind: object.kind,
    ...(object.metadata.namespace !== undefined && { objectnamespace: object.metadata.namespace }),
    objectname: object.metadata.name,
    ...(object.metadata.uid !== undefined && { objectuid: object.metadata.uid }),
    revision,
    ...(versions.resync && { resync: true }),
  } as const;
  const id = `${object.metadata.uid ?? attributes.subject}-${revision}`;
  const change: CloudEvent = {
    ...attributes,
    id,
    type: `${prefix}.${objectVerbs[transition.type]}`,
    data: data(transition),
  };
  const conditions = transition.type === "DELETED" ? [] : changedConditions(transition);
  const events = [change];
  for (const { condition, before } of conditions) {
    events.push({
      ...attributes,
      id: `${id}-${(condition ?? before)?.type ?? ""}`,
      type: `${prefix}.${conditionChanged}`,
      data: { ...identity(object), condition: condition ?? null, old: before ?? null },
    });
  }
  return events;
}

function transitionOf(
  now: KubeObject | undefined,
  old: KubeObject | undefined,
): ObjectTransition | undefined {
  if (now === undefined) return old === undefined ? undefined : { type: "DELETED", object: old };
  if (old === undefined) return { type: "CREATED", object: now };
  const type = classify(old, now);
  return type && { type, object: now, old };
}

function describeTransition({ type, object, old }: ObjectTransition): unknown {
  const shown = withoutSecrets(withoutManagedFields(object));
  if (old === undefined || type === "DELETED") return { object: shown };
  const changes = diff(...comparableVersions(old, object), { ignore: bookkeeping });
  return { object: shown, changes: changes.map(withoutSecretValues) };
}

/** A change of a field that is named like a secret tells that it changed, and no values. */
function withoutSecretValues(change: FieldChange): FieldChange {
  const name = change.path.findLast((part) => typeof part === "string") ?? "";
  const hide = (value: Json): Json =>
    (withoutSecrets({ [name]: value }) as { [name: string]: Json })[name] ?? null;
  switch (change.kind) {
    case "add":
      return { ...change, to: hide(change.to) };
    case "remove":
      return { ...change, from: hide(change.from) };
    case "change":
      return { ...change, from: hide(change.from), to: hide(change.to) };
  }
}

function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function identity({
  apiVersion,
  kind,
  metadata: { namespace, name, uid },
}: KubeObject): Readonly<Record<string, unknown>> {
  return { apiVersion, kind, ...(namespace !== undefined && { namespace }), name, uid };
}

interface ConditionChange {
  /** Undefined when the condition was removed. */
  readonly condition: Condition | undefined;
  readonly before: Condition | undefined;
}

/** Conditions whose status or reason changed; a message alone is no change. */
function changedConditions({ object, old }: ObjectTransition): readonly ConditionChange[] {
  const now = conditionsOf(object);
  const before = old === undefined ? new Map<string, Condition>() : conditionsOf(old);
  const changed: ConditionChange[] = [];
  for (const [type, condition] of now) {
    const one = before.get(type);
    if (one?.status !== condition.status || one.reason !== condition.reason)
      changed.push({ condition, before: one });
  }
  for (const [type, one] of before) if (!now.has(type)) changed.push({ condition: undefined, before: one });
  return changed;
}

function conditionsOf({ status }: KubeObject): Map<string, Condition> {
  const { conditions } = (status ?? {}) as { readonly conditions?: unknown };
  if (!Array.isArray(conditions)) return new Map();
  return new Map(conditions.filter(isCondition).map((each) => [each.type, each]));
}

function isCondition(value: Json): value is Json & Condition {
  return typeof value === "object" && value !== null && "type" in value && typeof value["type"] === "string";
}

/** Path of an object in the API: `/apis/demo.dev/v1/namespaces/default/sites/hello`. */
function objectPath({ apiVersion, metadata: { namespace, name = "" } }: KubeObject, plural: string): string {
  const root = parseApiVersion(apiVersion)?.group ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${plural}/${name}`;
}

/** Time of the change, as far as the object tells: that of the newest write, which does not change when the event is read again. */
function timeOf({ type, object }: ObjectTransition, now: number): string {
  const { managedFields = [], creationTimestamp, deletionTimestamp } = object.metadata;
  if (type === "DELETED") return deletionTimestamp ?? formatTime(now);
  const times = managedFields.map(({ time }) => time ?? "").filter((time) => time !== "");
  return times.toSorted().at(-1) ?? creationTimestamp ?? formatTime(now);
}
