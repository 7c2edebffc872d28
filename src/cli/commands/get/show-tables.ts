import type { OptionValues } from "../../command/command.js";
import { textOption } from "../../command/options.js";
import { systemClock } from "../../../model/core.js";
import { titleOf } from "../../objects/find-kind.js";
import { isCustomKind, readHeldObjects } from "../../objects/held-objects.js";
import type { NamedObjects } from "../../objects/resolve-objects.js";
import { fetchTable, type Table } from "../../output/server-table.js";
import { missingColumns, withColumns } from "../../output/readiness-columns.js";
import { sortBy } from "../../output/sort-by.js";
import { tableRows, type TableTextOptions } from "../../output/table-text.js";
import { columns } from "../../terminal/columns.js";
import { readNames, writeNotFound, type GetRequest } from "./get-request.js";
import { watchTable } from "./watch-table.js";

/** Prints objects in tables made by the server, one for each kind. */
export async function showTables(request: GetRequest, wide: boolean): Promise<number | void> {
  const { options, terminal, targets, server } = request;
  const { default: picocolors } = await import("picocolors");
  const paint = picocolors.createColors(terminal.colors);
  // Kubernetes' own kinds have columns for their state, and no controller of a control plane.
  const marked = targets.some(({ kind }) => isCustomKind(kind));
  const holding = marked ? readHeldObjects(server, terminal.signal) : undefined;
  holding?.catch(() => {});
  let complete = true;
  let isFirst = true;
  for (const target of targets) {
    const { table, complete: hasAll } = await readTable(request, target);
    complete &&= hasAll;
    const held = isCustomKind(target.kind) ? await holding : undefined;
    const text = { ...textOptions(options, wide), ...kindOptions(request, target), paint, held };
    if (options["watch"] === true || options["watchOnly"] === true) {
      return watchTable(request, target, table, text, options["watchOnly"] !== true);
    }
    if (table.rows.length === 0) continue;
    if (!isFirst) terminal.stdout.write("\n");
    isFirst = false;
    const whole = withColumns(table, missingColumns(table), systemClock.now());
    terminal.stdout.write(columns(tableRows(whole, text)));
  }
  if (isFirst && complete && options["ignoreNotFound"] !== true) writeNotFound(request);
  return complete ? 0 : 1;
}

function textOptions(
  options: OptionValues,
  wide: boolean,
): Omit<TableTextOptions, "withNamespace" | "paint"> {
  const labels = textOption(options, "labelColumns") ?? "";
  return {
    wide,
    headers: options["headers"] !== false,
    withLabels: options["showLabels"] === true,
    labelColumns: labels.split(",").filter((label) => label !== ""),
  };
}

function kindOptions(
  { options, selection, targets }: GetRequest,
  { kind }: NamedObjects,
): Pick<TableTextOptions, "withNamespace" | "prefix"> {
  const showKind = options["showKind"] === true || targets.length > 1;
  return {
    withNamespace: selection.namespace === undefined && kind.scope === "Namespaced",
    prefix: showKind ? titleOf(kind, "") : undefined,
  };
}

async function readTable(
  request: GetRequest,
  { kind, names }: NamedObjects,
): Promise<{ readonly table: Table; readonly complete: boolean }> {
  const { server, selection, terminal, options } = request;
  const path = textOption(options, "sortBy");
  const query = {
    ...selection,
    signal: terminal.signal,
    wholeObjects: path !== undefined || isCustomKind(kind),
  };
  let table: Table;
  let complete = true;
  if (names.length === 0) table = await fetchTable(server.transport, kind, query);
  else {
    const read = await readNames(request, kind, names, (name) =>
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
  if (path === undefined) return { table, complete };
  return { table: { ...table, rows: sortBy(table.rows, path, ({ object }) => object) }, complete };
}
