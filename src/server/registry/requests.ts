import type { FieldSelector, Json, LabelSelector } from "../../model/core.js";
import type { Subresource } from "../resources/resource-type.js";
import type { Answer } from "../resources/stored-object.js";

/** What is asked for: a namespace for namespaced kinds, none for the others or for all namespaces. */
export interface Scope {
  readonly namespace?: string | undefined;
}

export interface Target extends Scope {
  readonly name: string;
}

export type { Subresource };

/** What was sent, and what the decoder noticed that is gone once it is parsed. */
export interface Body {
  readonly object: Json;
  /** Nobody else holds the object or any part of it, and a decoder has checked its depth: it is changed, not copied. */
  readonly fresh?: boolean | undefined;
  /** `duplicate field "data.a"`: for strict field validation. */
  readonly duplicates?: readonly string[] | undefined;
}

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface WriteOptions {
  /** Everything but the writing. */
  readonly dryRun?: boolean | undefined;
  /** Who the written fields belong to from now on. */
  readonly fieldManager?: string | undefined;
  /** Default Warn. */
  readonly fieldValidation?: FieldValidation | undefined;
  /** Takes texts for the `Warning` header; the same ones again when a write has to be tried again. */
  readonly warn?: ((text: string) => void) | undefined;
  readonly subresource?: Subresource | undefined;
}

export interface GetOptions {
  readonly resourceVersion?: string | undefined;
  readonly subresource?: Subresource | undefined;
}

export interface ListOptions {
  readonly labelSelector?: LabelSelector | undefined;
  readonly fieldSelector?: FieldSelector | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: string | undefined;
  /** For watches only. */
  readonly sendInitialEvents?: boolean | undefined;
}

export interface ListAnswer {
  readonly items: readonly Answer[];
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

export interface WatchOptions extends Omit<ListOptions, "limit" | "continue"> {
  readonly allowWatchBookmarks?: boolean | undefined;
  /** The stream ends by itself after this time; 0 for never. */
  readonly timeoutSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type EventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";

/** What happened to an object. All watchers of one kind are handed the same `object`, so frames can be kept with it. */
export interface ObjectEvent {
  readonly type: EventType;
  readonly object: Answer;
}

/** How a body changes an object. */
export interface Patch {
  readonly type: "json" | "merge" | "strategic" | "apply";
  readonly body: Body;
  /** Server-side apply: take fields over from other managers. */
  readonly force?: boolean | undefined;
}

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly dryRun?: boolean | undefined;
}

/** What became of a write. */
export interface Written {
  readonly answer: Answer;
  /** Whether the object came into being. */
  readonly created: boolean;
}

/** What became of a delete. */
export interface Deleted {
  /** The object's last state, or its state now that waits for finalizers. */
  readonly answer: Answer;
  /** Whether it is gone already. */
  readonly gone: boolean;
}
