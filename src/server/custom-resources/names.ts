import {
  type Clock,
  type Condition,
  findCondition,
  isConditionTrue,
  setCondition,
} from "../../model/core.js";
import { quote } from "../../model/object/quote.js";
import { jsonEqual } from "../../model/object/json.js";
import { approvalCondition } from "./api-approval.js";
import type { Definition, DefinitionNames, DefinitionStatus } from "./definition.js";

export type { Definition } from "./definition.js";

/** Names of a kind, which are unique within its group. Every ResourceType has them. */
export interface TakenNames {
  readonly group: string;
  readonly plural: string;
  readonly singular?: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly kind: string;
  readonly listKind?: string | undefined;
}

/** Accepted names of a definition. */
export function acceptedNames({ spec, status }: Definition): TakenNames {
  return { ...(status?.acceptedNames ?? { plural: "", kind: "" }), group: spec.group };
}

/**
 * Next status of a definition: its accepted names, and whether its kind can be served. `taken` are the names of all other kinds, and
 * may include its own. Returns the same status when nothing changes.
 *
 * A definition is established once all its names are accepted, and stays so: names that it requests later and cannot
 * get leave the accepted ones unchanged.
 */
export function nextStatus(
  definition: Definition,
  taken: readonly TakenNames[],
  clock: Clock,
): DefinitionStatus {
  const status = definition.status ?? {};
  const { names, conflict } = acceptNames(definition, taken);
  let conditions: readonly Condition[] = setCondition(
    status.conditions,
    conflict
      ? { type: "NamesAccepted", status: "False", ...conflict }
      : { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" },
    clock,
  );
  if (!isConditionTrue(conditions, "Established")) conditions = establish(conditions, !conflict, clock);
  const approval = approvalCondition(definition);
  if (approval) conditions = setCondition(conditions, approval, clock);

  const unchanged =
    conditions === status.conditions &&
    status.acceptedNames !== undefined &&
    jsonEqual({ ...status.acceptedNames }, { ...names });
  return unchanged ? status : { ...status, conditions, acceptedNames: names };
}

function establish(conditions: readonly Condition[], accepted: boolean, clock: Clock): readonly Condition[] {
  if (accepted) {
    const message = "the initial names have been accepted";
    const reason = "InitialNamesAccepted";
    return setCondition(conditions, { type: "Established", status: "True", reason, message }, clock);
  }
  if (findCondition(conditions, "Established")) return conditions;
  const message = "not all names are accepted";
  return setCondition(
    conditions,
    { type: "Established", status: "False", reason: "NotAccepted", message },
    clock,
  );
}

interface Conflict {
  readonly reason: string;
  readonly message: string;
}

/** Accepts all names that are free. Like Kubernetes, reports the last of several conflicts. */
function acceptNames(
  definition: Definition,
  others: readonly TakenNames[],
): { names: DefinitionNames; conflict: Conflict | undefined } {
  const { names: requested, group } = definition.spec;
  const accepted = acceptedNames(definition);
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of [...others, accepted]) {
    if (other.group !== group) continue;
    for (const name of [other.plural, other.singular ?? "", ...(other.shortNames ?? [])]) resources.add(name);
    for (const kind of [other.kind, other.listKind ?? ""]) kinds.add(kind);
  }

  let conflict: Conflict | undefined;
  const take = (what: string, name: string, own: string, taken: ReadonlySet<string>): string => {
    if (name === own || !taken.has(name)) return name;
    conflict = { reason: `${what}Conflict`, message: inUse(name) };
    return own;
  };
  const plural = take("Plural", requested.plural, accepted.plural, resources);
  const singular = take("Singular", requested.singular ?? "", accepted.singular ?? "", resources);
  let shortNames = requested.shortNames ?? [];
  const used = shortNames.filter((name) => resources.has(name) && !accepted.shortNames?.includes(name));
  if (used.length > 0) {
    const messages = [...new Set(used)].map(inUse);
    conflict = {
      reason: "ShortNamesConflict",
      message: messages.length === 1 ? messages.join("") : `[${messages.join(", ")}]`,
    };
    shortNames = accepted.shortNames ?? [];
  }
  const kind = take("Kind", requested.kind, accepted.kind, kinds);
  const listKind = take("ListKind", requested.listKind ?? "", accepted.listKind ?? "", kinds);
  const names: DefinitionNames = {
    plural,
    ...(singular !== "" && { singular }),
    ...(shortNames.length > 0 && { shortNames }),
    kind,
    ...(listKind !== "" && { listKind }),
    ...(requested.categories?.length && { categories: requested.categories }),
  };
  return { names, conflict };
}

function inUse(name: string): string {
  return `${quote(name)} is already in use`;
}
