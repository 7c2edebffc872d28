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
  /** Object as it will be stored; undefined for a delete. */
  readonly object: Draft | undefined;
  /** Object as it is stored; undefined for a create. */
  readonly old: KubeObject | undefined;
  readonly dryRun: boolean;
  /** Sends a text to the client in a `Warning` header. */
  readonly warn: (text: string) => void;
}

/**
 * Takes part in every write. Throw an ApiError to refuse it.
 *
 * @example
 * const requireOwner: AdmissionPlugin = {
 *   name: "require-owner",
 *   validate({ operation, object }) {
 *     if (operation === "create" && !object?.metadata.labels?.owner) throw failures.badRequest("the label owner is missing");
 *   },
 * };
 */
export interface AdmissionPlugin {
  readonly name: string;
  /** Changes `object` before the rules of its kind are applied. Defaults are filled in again afterwards. */
  mutate?(request: AdmissionRequest): void | Promise<void>;
  /**
   * Checks the final object, after all changes and the rules of its kind. Runs again when a write is repeated because of a
   * conflict, on the object that results then.
   */
  validate?(request: AdmissionRequest): void | Promise<void>;
}

/** Runs the mutating part of all plugins, in order. */
export async function mutate(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<void> {
  for (const plugin of plugins) await plugin.mutate?.(request);
}

/** Runs the validating part of all plugins, in order. */
export async function validate(
  plugins: readonly AdmissionPlugin[],
  request: AdmissionRequest,
): Promise<void> {
  for (const plugin of plugins) await plugin.validate?.(request);
}
