import type { OptionValues, Terminal } from "../../command.js";
import { errorText } from "../../error-text.js";
import type { AskedSelection, Served } from "../../kinds/asked.js";
import { withWhere } from "../../kinds/absent.js";
import type { ServedKind } from "../../kinds/served-kinds.js";
import type { Targets } from "../../kinds/targets.js";
import { asApiError } from "../../../model/core.js";

/** What `get` was asked for. */
export interface Asked {
  readonly server: Served;
  readonly targets: readonly Targets[];
  readonly selection: AskedSelection;
  readonly options: OptionValues;
  readonly terminal: Terminal;
}

/** That there is nothing, in words. */
export function nothingFound({ targets, selection, terminal }: Asked): void {
  const kinds = targets.length > 3 ? "objects" : targets.map(({ kind }) => kind.plural).join(" or ");
  const namespaced = targets.some(({ kind }) => kind.scope === "Namespaced");
  const where = namespaced && selection.namespace !== undefined ? ` in namespace ${selection.namespace}` : "";
  const which = selection.labelSelector || selection.fieldSelector ? " matching the selector" : "";
  terminal.stderr.write(`No ${kinds} found${which}${where}.\n`);
}

/**
 * Reads each object by name; one that is not there is told of, and keeps nobody from seeing the others. Returns whether all
 * were there, or need not be.
 */
export async function eachName<T>(
  { options, terminal, selection }: Asked,
  kind: ServedKind,
  names: readonly string[],
  read: (name: string) => Promise<T>,
): Promise<{ readonly found: readonly T[]; readonly complete: boolean }> {
  const answers = await Promise.allSettled(names.map(read));
  const found: T[] = [];
  let complete = true;
  for (const answer of answers) {
    if (answer.status === "fulfilled") found.push(answer.value);
    else {
      const error = asApiError(answer.reason);
      if (error === undefined || error.reason !== "NotFound") throw answer.reason;
      if (options["ignoreNotFound"] === true) continue;
      const told = withWhere(error, kind, selection.namespace);
      if (names.length === 1) throw told;
      terminal.stderr.write(`fettle: ${errorText(told, terminal)}\n`);
      complete = false;
    }
  }
  return { found, complete };
}
