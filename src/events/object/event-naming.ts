import { parseApiVersion, type KubeObject } from "../../model/core.js";
import { EventPatternError, patternParts } from "../../model/cloud-events/event-pattern.js";
import type { ChangeType } from "../../client/source/source.js";

/** Last parts of the types of events about objects. */
export const objectVerbs = {
  CREATED: "created",
  UPDATED: "updated",
  STATUS_UPDATED: "status_updated",
  DELETED: "deleted",
} as const satisfies Record<ChangeType, string>;
export const conditionChanged = "condition_changed";

/** A change of an object, from which events are made. */
export interface ObjectTransition {
  readonly type: ChangeType;
  readonly object: KubeObject;
  readonly old?: KubeObject | undefined;
}

/** Form of the events about objects of one kind. */
export interface KindEvents {
  readonly apiVersion: string;
  readonly kind: string;
  /** Beginning of their types: with `io.example.device`, a new object is `io.example.device.created`. */
  readonly prefix: string;
  /** Data of an event, in place of the object and its changes. */
  readonly data?: ((transition: ObjectTransition) => unknown) | undefined;
}

/**
 * Names the events about objects of a kind.
 *
 * @example
 * controlPlane({ kinds: [Device], events: { kinds: [eventsOf(Device, "io.example.device")] } });
 *
 * @throws {EventPatternError} for a prefix with other characters than letters, digits, `_`, `-` and dots.
 */
export function eventsOf(
  kind: { readonly apiVersion: string; readonly kind: string },
  prefix: string,
  options: Pick<KindEvents, "data"> = {},
): KindEvents {
  if (patternParts(prefix).some((part) => part.startsWith("*"))) {
    throw new EventPatternError(
      `${JSON.stringify(prefix)} is a pattern: the types of events begin with a name`,
    );
  }
  return { apiVersion: kind.apiVersion, kind: kind.kind, prefix, ...options };
}

/** Tests for a result of {@link eventsOf} by its shape, since another copy of this package may have made it. */
export function isKindEvents(value: object): value is KindEvents {
  const { apiVersion, kind, prefix } = value as Partial<KindEvents>;
  return typeof apiVersion === "string" && typeof kind === "string" && typeof prefix === "string";
}

/** Types of events by kind. */
export class EventNaming {
  readonly #kinds = new Map<string, KindEvents>();

  constructor(kinds: readonly KindEvents[] = []) {
    for (const each of kinds) this.#kinds.set(keyOf(each), each);
  }

  /** Form of the events of a kind; default: {@link defaultPrefix}. */
  of(kind: { readonly apiVersion: string; readonly kind: string }): KindEvents {
    const key = keyOf(kind);
    let found = this.#kinds.get(key);
    if (found === undefined) {
      found = { apiVersion: kind.apiVersion, kind: kind.kind, prefix: defaultPrefix(kind) };
      this.#kinds.set(key, found);
    }
    return found;
  }
}

/** All versions of a kind have the same events. */
function keyOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${parseApiVersion(apiVersion)?.group ?? ""} ${kind}`;
}

/**
 * Beginning of the types of events of a kind: its group in reverse order and its name. `dev.demo.site` for Site in `demo.dev`,
 * `io.k8s.core.configmap` for a kind of Kubernetes.
 */
function defaultPrefix({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  const group = parseApiVersion(apiVersion)?.group || "core";
  const domain = group.includes(".") ? group : `${group}.k8s.io`;
  return [...domain.split(".").toReversed(), kind.toLowerCase()].join(".");
}
