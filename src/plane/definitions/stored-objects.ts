import type { Client } from "../../client/client.js";
import { fieldErrors } from "../../model/core.js";
import type { Resource } from "../../model/resource/resource-types.js";
import { compileSchema } from "../../model/structural/compile-schema.js";

/** How many objects, and how many fields of each, are named; the others are counted. */
const mostObjects = 5;
const mostFields = 3;

/** What a new schema means for the objects that are there. */
export interface StoredObjects {
  readonly count: number;
  /** How many would break it, whatever is wrong in their status: that is reported anew. */
  readonly invalid: number;
  /** The first of them with what is wrong: `default/hello: spec.title: Required value`. */
  readonly examples: readonly string[];
  /** Fields outside of the status that the schema does not know: they are gone when their object is next written. */
  readonly dropped: readonly string[];
}

/** Looks at all objects of a kind as they would be read under its new schema, one page at a time. */
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
      if (!isStatus(path) && dropped.size < mostObjects) dropped.add(withoutNumbers(path));
    }
    schema.applyDefaults(copy);
    const errors = schema.validate(copy).filter(({ field }) => !isStatus(field));
    if (errors.length === 0) continue;
    invalid++;
    if (examples.length < mostObjects) examples.push(`${nameOf(object.metadata)}: ${describe(errors)}`);
  }
  return { count, invalid, examples, dropped: [...dropped] };
}

function describe(errors: readonly fieldErrors.FieldError[]): string {
  const texts = errors.slice(0, mostFields).map(fieldErrors.renderFieldError);
  if (errors.length > mostFields) texts.push(`and ${errors.length - mostFields} more`);
  return texts.join("; ");
}

function isStatus(path: string): boolean {
  return path === "status" || path.startsWith("status.") || path.startsWith("status[");
}

/** One field of many items is one field. */
function withoutNumbers(path: string): string {
  return path.replaceAll(/\[\d+\]/g, "[]");
}

function nameOf({ namespace, name = "" }: { readonly namespace?: string; readonly name?: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
