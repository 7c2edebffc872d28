import { titleOf } from "../../kinds/find-kind.js";
import type { Targets } from "../../kinds/targets.js";
import { columns } from "../../output/columns.js";
import { fetchTable, type Table } from "../../output/server-table.js";
import { sortBy } from "../../output/sort-by.js";
import { tableRows, type TableTextOptions } from "../../output/table-text.js";
import { eachName, nothingFound, type Asked } from "./asked.js";
import type { AskedTable } from "./asked-table.js";
import { watchTable } from "./watch-table.js";

/** Shows objects in the server's tables, one for each kind. */
export async function showTables(asked: Asked, look: AskedTable): Promise<number | void> {
  const { options, terminal, targets } = asked;
  let complete = true;
  let isFirst = true;
  for (const target of targets) {
    const { table, complete: hasAll } = await readTables(asked, target, look);
    complete &&= hasAll;
    const text = textOptions(asked, target, look);
    if (options["watch"] === true || options["watchOnly"] === true) {
      return watchTable(asked, target, table, text, options["watchOnly"] !== true);
    }
    if (table.rows.length === 0) continue;
    if (!isFirst) terminal.stdout.write("\n");
    isFirst = false;
    terminal.stdout.write(columns(tableRows(table, text)));
  }
  if (isFirst && complete && options["ignoreNotFound"] !== true) nothingFound(asked);
  return complete ? 0 : 1;
}

function textOptions({ selection }: Asked, { kind }: Targets, look: AskedTable): TableTextOptions {
  return {
    ...look,
    withNamespace: selection.namespace === undefined && kind.scope === "Namespaced",
    prefix: look.showKind ? titleOf(kind, "") : undefined,
  };
}

async function readTables(
  asked: Asked,
  { kind, names }: Targets,
  look: AskedTable,
): Promise<{ readonly table: Table; readonly complete: boolean }> {
  const { server, selection, terminal } = asked;
  const query = { ...selection, signal: terminal.signal, wholeObjects: look.sortBy !== undefined };
  let table: Table;
  let complete = true;
  if (names.length === 0) table = await fetchTable(server.transport, kind, query);
  else {
    const read = await eachName(asked, kind, names, (name) =>
      fetchTable(server.transport, kind, { ...query, name }),
    );
    const [first] = read.found;
    complete = read.complete;
    table = {
      columnDefinitions: first?.columnDefinitions ?? [],
      rows: read.found.flatMap(({ rows }) => rows),
      resourceVersion: first?.resourceVersion ?? "",
    };
  }
  if (look.sortBy === undefined) return { table, complete };
  return { table: { ...table, rows: sortBy(table.rows, look.sortBy, ({ object }) => object) }, complete };
}
