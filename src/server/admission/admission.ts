import type { KubeObject } from "../../model/core.js";
import type { ObjectKey } from "../../model/object/object-key.js";
import type { User } from "../access/user.js";
import type { Draft, ResourceType, Subresource } from "../resources/resource-type.js";

/** One write as admission plugins see it. */
export interface AdmissionRequest {
  readonly user: User;
  readonly operation: "create" | "update" | "delete";
  readonly type: ResourceType;
  readonly key: ObjectKey;
  readonly subresource: Subresource | undefined;
  /** New state of the object; undefined for a delete. */
  readonly object: Draft | undefined;
  /** Stored state of the object; undefined for a create. Frozen. */
  readonly old: KubeObject | undefined;
  readonly dryRun: boolean;
  /** Sends a text to the client in a `Warning` header. */
  readonly warn: (text: string) => void;
}

/**
 * In-process function that may change or refuse writes. Throw an ApiError to refuse one. A plugin runs for every write of every kind,
 * also for those of the server's own controllers, so check `type` first.
 *
 * @example
 * const requireOwner: AdmissionPlugin = {
 *   name: "require-owner",
 *   validate({ type, operation, object }) {
 *     if (type.plural !== "sites" || operation !== "create") return;
 *     if (!object?.metadata["labels"]?.owner) throw failures.badRequest("set the label owner");
 *   },
 * };
 */
export interface AdmissionPlugin {
  readonly name: string;
  /**
   * Changes the object of a create or update in place, before the rules of its kind are applied. Runs again, on a fresh copy, when a
   * conflict repeats the write. The result is pruned and defaulted like a request body.
   */
  mutate?(request: AdmissionRequest & { readonly object: Draft }): void | Promise<void>;
  /**
   * Checks the final object of a create or update, or the deletion of `old`. Must not change the object. Runs again when a conflict
   * repeats the write, on the object that results then.
   */
  validate?(request: AdmissionRequest): void | Promise<void>;
}
