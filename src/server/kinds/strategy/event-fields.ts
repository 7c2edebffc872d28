import type { KubeObject } from "../../../model/core.js";
import type { Draft } from "../../resources/resource-type.js";
import { withCoreNames } from "./event-conversion.js";

export interface Reference {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** Event of core/v1. */
export interface CoreEvent {
  readonly metadata: { readonly namespace?: string };
  readonly involvedObject?: Reference;
  readonly reason?: string;
  readonly message?: string;
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly count?: number;
  readonly type?: string;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null };
  readonly action?: string;
  readonly related?: Reference;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
}

/** View of an event of either version as core/v1. */
export function asCoreEvent(object: KubeObject | Draft): CoreEvent {
  return (object.apiVersion === "v1" ? object : withCoreNames(object)) as CoreEvent;
}
