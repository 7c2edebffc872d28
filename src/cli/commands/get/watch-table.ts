import { collectionPath } from "../../../client/transport/http/paths.js";
import { fromStatus, isExpired, isGone, sleep, systemClock } from "../../../model/core.js";
import type { Targets } from "../../kinds/targets.js";
import { GrowingColumns } from "../../output/columns.js";
import {
  acceptTable,
  fetchTable,
  readTable,
  type Table,
  type TableColumn,
  type TableRow,
} from "../../output/server-table.js";
import { tableRows, type TableTextOptions } from "../../output/table-text.js";
import { Reconnection } from "../../reconnection.js";
import type { Asked } from "./asked.js";

const watchSeconds = 290;
const pause = 1000;

/** Shows a table, and then a row for everything that changes, until Ctrl-C. */
export async function watchTable(
  { server, selection, terminal }: Asked,
  { kind, names }: Targets,
  table: Table,
  options: TableTextOptions,
  showFirst: boolean,
): Promise<void> {
  const { signal } = terminal;
  const [name] = names;
  const fieldSelector = name === undefined ? selection.fieldSelector : `metadata.name=${name}`;
  const where = { namespace: selection.namespace, labelSelector: selection.labelSelector, fieldSelector };
  const text = new GrowingColumns();
  let { columnDefinitions } = table;
  let hasTitles = false;
  const show = (rows: readonly TableRow[]): void => {
    if (rows.length === 0) return;
    const headers = options.headers && !hasTitles;
    hasTitles = true;
    const part = { columnDefinitions, rows, resourceVersion: "" };
    terminal.stdout.write(text.add(tableRows(part, { ...options, headers })));
  };
  if (showFirst) show(table.rows);
  const reconnection = new Reconnection(terminal);
  // The version of one object is as good a beginning as that of a list.
  let version: string | undefined = table.resourceVersion;
  while (!signal.aborted) {
    try {
      if (version === undefined) {
        const again = await fetchTable(server.transport, kind, { ...where, signal });
        ({ columnDefinitions } = again);
        show(again.rows);
        version = again.resourceVersion;
      }
      if (reconnection.isAway) {
        // A watch may be silent for long.
        await server.client.list(kind, { ...where, metadataOnly: true, limit: 1, signal });
        reconnection.back();
      }
      const begun = systemClock.now();
      const query = {
        ...where,
        namespace: undefined,
        watch: true,
        resourceVersion: version,
        timeoutSeconds: watchSeconds,
      };
      const path = collectionPath(kind, { namespace: where.namespace });
      for await (const frame of server.transport.lines(path, { accept: acceptTable, query, signal })) {
        const { type, object } = frame as { type: string; object: Record<string, unknown> };
        if (type === "ERROR") throw fromStatus(object);
        const part = readTable(object, kind);
        columnDefinitions = definitionsOr(part.columnDefinitions, columnDefinitions);
        version = versionOf(part) ?? version;
        if (type !== "BOOKMARK") show(part.rows);
      }
      if (systemClock.now() - begun < pause) await sleep(systemClock, pause, signal).catch(() => {});
    } catch (error) {
      if (signal.aborted) return;
      if (isExpired(error) || isGone(error)) version = undefined;
      else await reconnection.lost(error);
    }
  }
}

/** Only the first frame has them. */
function definitionsOr(found: readonly TableColumn[], known: readonly TableColumn[]): readonly TableColumn[] {
  return found.length > 0 ? found : known;
}

function versionOf({ rows, resourceVersion }: Table): string | undefined {
  return rows.at(-1)?.object.metadata?.resourceVersion ?? (resourceVersion || undefined);
}
