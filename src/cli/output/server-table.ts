import type { KindInfo } from "../../client/kinds/kind.js";
import type { HttpTransport } from "../../client/transport/http/http-transport.js";
import { collectionPath, objectPath, type QueryParameters } from "../../client/transport/http/paths.js";
import type { Scope } from "../../model/object/object-key.js";
import type { KubeObject } from "../../model/core.js";

/** Table made by the server, with the columns of the kind. */
export interface Table {
  readonly columnDefinitions: readonly TableColumn[];
  readonly rows: readonly TableRow[];
  readonly resourceVersion: string;
}

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  /** 0 for columns of every table, above 0 for wide tables only. */
  readonly priority: number;
}

export interface TableRow {
  readonly cells: readonly unknown[];
  readonly object: KubeObject;
}

/** Servers without tables respond with the objects; {@link readTable} makes a table of names from them. */
export const acceptTable =
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

const pageSize = 500;

export interface TableQuery extends Scope {
  /** Name of one object. Default: all objects. */
  readonly name?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Rows contain the whole object instead of its metadata only. */
  readonly wholeObjects?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** Fetches the table of an object, or of all objects of a kind with all pages. */
export async function fetchTable(
  transport: HttpTransport,
  kind: KindInfo,
  { name, namespace, labelSelector, fieldSelector, wholeObjects = false, signal }: TableQuery,
): Promise<Table> {
  const shared = { includeObject: wholeObjects ? "Object" : undefined };
  if (name !== undefined) {
    const path = objectPath(kind, { name, namespace });
    return readTable(await transport.document(path, { accept: acceptTable, query: shared, signal }), kind);
  }
  const path = collectionPath(kind, { namespace });
  const rows: TableRow[] = [];
  const first: QueryParameters = { ...shared, labelSelector, fieldSelector, limit: pageSize };
  let next: string | undefined;
  for (;;) {
    const query: QueryParameters = { ...first, continue: next };
    const document = await transport.document(path, { accept: acceptTable, query, signal });
    const table = readTable(document, kind);
    rows.push(...table.rows);
    next = (document["metadata"] as { continue?: string } | undefined)?.continue;
    if (!next) return { ...table, rows };
  }
}

/** Table of a response; an object or a list becomes a table of names. */
export function readTable(document: Record<string, unknown>, { apiVersion, kind }: KindInfo): Table {
  const { resourceVersion = "" } = (document["metadata"] ?? {}) as { resourceVersion?: string };
  if (document["kind"] === "Table") {
    const { columnDefinitions, rows } = document as {
      columnDefinitions?: readonly TableColumn[] | null;
      rows?: readonly TableRow[] | null;
    };
    const own = (rows ?? []).map(({ cells, object }) => ({ cells, object: { ...object, apiVersion, kind } }));
    return { columnDefinitions: columnDefinitions ?? [], rows: own, resourceVersion };
  }
  const { items } = document as { items?: readonly KubeObject[] };
  const objects = items ?? [document as unknown as KubeObject];
  return {
    columnDefinitions: [
      { name: "Name", type: "string", priority: 0 },
      { name: "Created At", type: "date", priority: 0 },
    ],
    rows: objects.map((object) => ({
      cells: [object.metadata.name, object.metadata.creationTimestamp ?? null],
      object: { ...object, apiVersion, kind },
    })),
    resourceVersion,
  };
}
