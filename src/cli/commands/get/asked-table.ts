import type { OptionValues } from "../../command.js";
import { textOption } from "../../kinds/asked.js";
import type { Targets } from "../../kinds/targets.js";
import type { TableTextOptions } from "../../output/table-text.js";

/** How tables are to look, as the options of `get` say it. */
export interface AskedTable extends Omit<TableTextOptions, "prefix" | "withNamespace"> {
  readonly sortBy: string | undefined;
  /** Whether names are shown with their kind: always where there are several kinds. */
  readonly showKind: boolean;
}

export function askedTable(options: OptionValues, wide: boolean, targets: readonly Targets[]): AskedTable {
  const labels = textOption(options, "labelColumns") ?? "";
  return {
    wide,
    headers: options["headers"] !== false,
    withLabels: options["showLabels"] === true,
    labelColumns: labels.split(",").filter((label) => label !== ""),
    sortBy: textOption(options, "sortBy"),
    showKind: options["showKind"] === true || targets.length > 1,
  };
}
