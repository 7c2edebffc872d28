import { collectionPath } from "../../../client/transport/http/paths.js";
import { fromStatus, isExpired, isGone, sleep, systemClock } from "../../../model/core.js";
import { isCustomKind } from "../../objects/held-objects.js";
import { selectTarget, type NamedObjects } from "../../objects/resolve-objects.js";
import { GrowingColumns } from "../../terminal/columns.js";
import { acceptTable, fetchTable, readTable, type Table, type TableRow } from "../../output/server-table.js";
import { missingColumns, withColumns, type AddedColumn } from "../../output/readiness-columns.js";
import { tableRows, type TableTextOptions } from "../../output/table-text.js";
import { Reconnection } from "../../server/reconnection.js";
import type { GetRequest } from "./get-request.js";

const watchSeconds = 290;
const pause = 1000;

/** Prints a table, then a row for each change, until Ctrl-C. */
export async function watchTable(
  { server, selection, terminal }: GetRequest,
  target: NamedObjects,
  table: Table,
  options: TableTextOptions,
  showFirst: boolean,
): Promise<void> {
  const { signal } = terminal;
  const { kind } = target;
  const where = selectTarget(target, selection);
  const text = new GrowingColumns();
  let { columnDefinitions } = table;
  let hasTitles = false;
  let added: readonly AddedColumn[] | undefined;
  const wholeObjects = isCustomKind(kind);
  const show = (rows: readonly TableRow[]): void => {
    if (rows.length === 0) return;
    const headers = options.headers && !hasTitles;
    hasTitles = true;
    const part = { columnDefinitions, rows, resourceVersion: "" };
    // Columns stay the same until the end.
    added ??= missingColumns(part);
    terminal.stdout.write(
      text.add(tableRows(withColumns(part, added, systemClock.now()), { ...options, headers })),
    );
  };
  if (showFirst) show(table.rows);
  const reconnection = new Reconnection(terminal);
  // A watch may start at the resourceVersion of an object as well as of a list.
  let version: string | undefined = table.resourceVersion;
  while (!signal.aborted) {
    try {
      if (version === undefined) {
        const again = await fetchTable(server.transport, kind, { ...where, signal, wholeObjects });
        ({ columnDefinitions } = again);
        show(again.rows);
        version = again.resourceVersion;
      }
      if (reconnection.isLost) {
        // A list shows at once whether the server is back; a watch may stay silent.
        await server.client.list(kind, { ...where, metadataOnly: true, limit: 1, signal });
        reconnection.reconnected();
      }
      const startedAt = systemClock.now();
      const query = {
        ...where,
        namespace: undefined,
        watch: true,
        resourceVersion: version,
        timeoutSeconds: watchSeconds,
        includeObject: wholeObjects ? "Object" : undefined,
      };
      const path = collectionPath(kind, { namespace: where.namespace });
      for await (const frame of server.transport.lines(path, { accept: acceptTable, query, signal })) {
        const { type, object } = frame as { type: string; object: Record<string, unknown> };
        if (type === "ERROR") throw fromStatus(object);
        const part = readTable(object, kind);
        // Only the first event has column definitions.
        if (part.columnDefinitions.length > 0) ({ columnDefinitions } = part);
        version = versionOf(part) ?? version;
        if (type !== "BOOKMARK") show(part.rows);
      }
      if (systemClock.now() - startedAt < pause) await sleep(systemClock, pause, signal).catch(() => {});
    } catch (error) {
      if (signal.aborted) return;
      if (isExpired(error) || isGone(error)) version = undefined;
      else await reconnection.lost(error);
    }
  }
}

function versionOf({ rows, resourceVersion }: Table): string | undefined {
  return rows.at(-1)?.object.metadata?.resourceVersion ?? (resourceVersion || undefined);
}
