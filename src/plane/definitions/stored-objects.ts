import type { Client } from "../../client/client.js";
import { fieldErrors } from "../../model/core.js";
import type { Resource } from "../../model/resource/resource-types.js";
import { compileSchema } from "../../model/structural/compile-schema.js";

/** Limits for the objects, and fields of each, that are listed; the others are counted. */
const maxObjects = 5;
const maxFields = 3;

/** Effect of a new schema on stored objects. */
export interface StoredObjects {
  readonly count: number;
  /** Number of objects that violate it. Violations in the status do not count, since controllers write it again. */
  readonly invalid: number;
  /** The first of these with their errors: `default/hello: spec.title: Required value`. */
  readonly examples: readonly string[];
  /** Fields outside the status that are not in the schema; they are pruned when their object is next written. */
  readonly dropped: readonly string[];
}

/** Validates all objects of a kind against its new schema, one page at a time. */
export async function checkStoredObjects(
  client: Client,
  kind: Resource,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<StoredObjects> {
  const schema = compileSchema(kind.schema);
  const examples: string[] = [];
  const dropped = new Set<string>();
  let count = 0;
  let invalid = 0;
  for await (const object of client.each(kind, { signal: options.signal })) {
    count++;
    const copy = structuredClone(object);
    for (const path of schema.prune(copy)) {
      if (!isStatus(path) && dropped.size < maxObjects) dropped.add(withoutIndexes(path));
    }
    schema.applyDefaults(copy);
    const errors = schema.validate(copy).filter(({ field }) => !isStatus(field));
    if (errors.length === 0) continue;
    invalid++;
    if (examples.length < maxObjects) examples.push(`${nameOf(object.metadata)}: ${describe(errors)}`);
  }
  return { count, invalid, examples, dropped: [...dropped] };
}

function describe(errors: readonly fieldErrors.FieldError[]): string {
  const texts = errors.slice(0, maxFields).map(fieldErrors.renderFieldError);
  if (errors.length > maxFields) texts.push(`and ${errors.length - maxFields} more`);
  return texts.join("; ");
}

function isStatus(path: string): boolean {
  return path === "status" || path.startsWith("status.") || path.startsWith("status[");
}

/** Replaces list indexes, so that a field of many items is listed once. */
function withoutIndexes(path: string): string {
  return path.replaceAll(/\[\d+\]/g, "[]");
}

function nameOf({ namespace, name = "" }: { readonly namespace?: string; readonly name?: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
