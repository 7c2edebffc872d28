import type { FieldError } from "../object/field-errors.js";

/** How an object is validated that was there before. */
interface ValidateOptions {
  /** Only the status is written: of the rest nothing but rules is run. */
  readonly statusOnly?: boolean | undefined;
  /** Takes what breaks a rule and is let be because it did not change. */
  readonly tolerate?: ((error: FieldError) => void) | undefined;
}

/** The rules of a kind's schema, compiled once and applied to whole objects (with apiVersion, kind and metadata). */
export interface ObjectSchema {
  /**
   * Fills in the defaults of fields that are missing (or null where null is not allowed), in place, and drops nulls
   * that are not allowed and have no default. Metadata stays as it is, and so do parts that are frozen.
   */
  applyDefaults(object: object): void;
  /**
   * Removes what the schema does not know, in place, and returns the paths of it as strict decoding names them
   * (`spec.foo`, `spec.list[0].bar`), in Kubernetes' order: first those in metadata, then the others sorted, then
   * those in the metadata of embedded resources. Metadata is pruned to the fields there are. Past a thousand, what is
   * removed is not named. Parts that are frozen are taken to be pruned.
   */
  prune(object: object): string[];
  /**
   * What breaks the schema, in Kubernetes' words. With `old`, parts that did not change may break it (ratcheting),
   * and only what changed is reported. Past a thousand faults, looking for more stops.
   */
  validate(object: object, old?: object, options?: ValidateOptions): FieldError[];
}
