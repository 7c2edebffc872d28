import type { FieldError } from "../object/field-errors.js";

/** Options for validation. */
interface ValidateOptions {
  /** Validate only the status against the schema; rules run for the whole object. */
  readonly statusOnly?: boolean | undefined;
  /** Called with violations that are tolerated because the value did not change. */
  readonly tolerate?: ((error: FieldError) => void) | undefined;
}

/** Compiled schema of a kind, applied to whole objects (with apiVersion, kind and metadata). */
export interface ObjectSchema {
  /**
   * Fills in defaults of missing fields (and of nulls that are not allowed), in place, and removes nulls that
   * are neither allowed nor have a default. Metadata and frozen parts are left alone.
   */
  applyDefaults(object: object): void;
  /**
   * Removes undeclared fields, in place, and returns their paths as strict decoding names them (`spec.foo`,
   * `spec.list[0].bar`), in Kubernetes' order: metadata first, then the others sorted, then the metadata of
   * embedded resources. Metadata is pruned to its known fields. Beyond a thousand, removed fields are not
   * named. Frozen parts are assumed to be pruned.
   */
  prune(object: object): string[];
  /**
   * Validates an object, with Kubernetes' messages. With `old`, violations in unchanged parts are tolerated
   * (ratcheting). Stops after a thousand errors.
   */
  validate(object: object, old?: object, options?: ValidateOptions): FieldError[];
}
