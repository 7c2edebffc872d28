import { asApiError, fromStatus } from "../../../model/core.js";
import type { RestDocument } from "./rest-resource.js";
import { etagOf, matchesEtag } from "./etag.js";
import { invalidDocument, preconditionFailed, withField } from "./rest-errors.js";
import { idOf, type RestItems } from "./rest-items.js";

/** Documents that a collection can be replaced by in one request. */
const maxItems = 1000;

/** Ids of the documents that a request has changed. */
export interface CollectionChanges {
  readonly created: string[];
  readonly updated: string[];
  readonly unchanged: string[];
  readonly deleted: string[];
}

/**
 * Replaces all documents of a collection: writes those that are given, and deletes the others. Everything is checked first, without
 * writing; a failure after that, such as a conflict, leaves the part that was done, and the error says which.
 */
export async function replaceCollection(
  items: RestItems,
  documents: readonly RestDocument[],
  ifMatch: string | undefined,
): Promise<CollectionChanges> {
  if (documents.length > maxItems) {
    throw invalidDocument(`a collection can be replaced by ${maxItems} documents at most`, [
      { field: "items", detail: `has ${documents.length} documents` },
    ]);
  }
  const ids = new Set<string>();
  for (const [index, { id }] of documents.entries()) {
    const name = idOf(id);
    if (ids.has(name)) {
      throw invalidDocument(`two documents have the id ${name}`, [
        { field: `items[${index}].id`, detail: "must be unique" },
      ]);
    }
    ids.add(name);
  }
  const existing = await items.all();
  if (ifMatch !== undefined) {
    const etag = etagOf(existing.map((each) => items.document(each)));
    if (!matchesEtag(ifMatch, etag))
      throw preconditionFailed(`the collection has changed: its ETag is ${etag} now`);
  }
  for (const [index, document] of documents.entries()) {
    await within(index, items.put(idOf(document["id"]), document, { dryRun: true }));
  }
  const changes: CollectionChanges = { created: [], updated: [], unchanged: [], deleted: [] };
  try {
    for (const [index, document] of documents.entries()) {
      const id = idOf(document["id"]);
      const { outcome } = await within(index, items.put(id, document));
      changes[outcome].push(id);
    }
    for (const { metadata } of existing) {
      const { name = "" } = metadata;
      if (ids.has(name)) continue;
      await items.delete(name).catch(ignoreNotFound);
      changes.deleted.push(name);
    }
  } catch (error) {
    throw partly(error, changes);
  }
  return changes;
}

/** Adds the position in the collection to the fields of an error. */
async function within<T>(index: number, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { status } = asApiError(error) ?? {};
    if (status?.details?.causes === undefined) throw error;
    const causes = status.details.causes.map((cause) =>
      withField(cause, `items[${index}].${cause.field ?? ""}`),
    );
    throw fromStatus({ ...status, details: { ...status.details, causes } });
  }
}

function ignoreNotFound(error: unknown): undefined {
  if (asApiError(error)?.code === 404) return undefined;
  throw error;
}

function partly(error: unknown, { created, updated, deleted }: CollectionChanges): unknown {
  const { status } = asApiError(error) ?? {};
  const done = created.length + updated.length + deleted.length;
  if (status === undefined || done === 0) return error;
  const message = `${status.message}; the collection was replaced in part: ${created.length} created, ${updated.length} updated, ${deleted.length} deleted`;
  return fromStatus({ ...status, message });
}
