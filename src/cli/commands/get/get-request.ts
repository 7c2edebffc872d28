import { asApiError } from "../../../model/core.js";
import type { OptionValues, Terminal } from "../../command/command.js";
import { errorText } from "../../command/error-text.js";
import { explainNotFound } from "../../objects/not-found.js";
import type { ResolvedObjects } from "../../objects/resolve-objects.js";
import type { ServerConnection } from "../../server/connect.js";
import type { ServedKind } from "../../server/served-kinds.js";

/** Parsed arguments of `fettle get`. */
export interface GetRequest extends ResolvedObjects {
  readonly server: ServerConnection;
  readonly options: OptionValues;
  readonly terminal: Terminal;
}

/** Prints that no objects were found. */
export function writeNotFound({ targets, selection, terminal }: GetRequest): void {
  const kinds = targets.length > 3 ? "objects" : targets.map(({ kind }) => kind.plural).join(" or ");
  const namespaced = targets.some(({ kind }) => kind.scope === "Namespaced");
  const where = namespaced && selection.namespace !== undefined ? ` in namespace ${selection.namespace}` : "";
  const which = selection.labelSelector || selection.fieldSelector ? " matching the selector" : "";
  terminal.stderr.write(`No ${kinds} found${which}${where}.\n`);
}

/**
 * Reads objects by name. Missing objects are reported, unless `--ignore-not-found` is set, and the others are returned;
 * `complete` is false when one was reported. Throws if the only object is missing.
 */
export async function readNames<T>(
  { options, terminal, selection }: GetRequest,
  kind: ServedKind,
  names: readonly string[],
  read: (name: string) => Promise<T>,
): Promise<{ readonly found: readonly T[]; readonly complete: boolean }> {
  const results = await Promise.allSettled(names.map(read));
  const found: T[] = [];
  let complete = true;
  for (const result of results) {
    if (result.status === "fulfilled") found.push(result.value);
    else {
      const error = asApiError(result.reason);
      if (error === undefined || error.reason !== "NotFound") throw result.reason;
      if (options["ignoreNotFound"] === true) continue;
      const explained = explainNotFound(error, kind, selection.namespace);
      if (names.length === 1) throw explained;
      terminal.stderr.write(`fettle: ${errorText(explained, terminal)}\n`);
      complete = false;
    }
  }
  return { found, complete };
}
