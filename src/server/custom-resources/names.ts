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

/** Names of a kind, which are unique within its group. Every ResourceType is one. */
export interface TakenNames {
  readonly group: string;
  readonly plural: string;
  readonly singular?: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly kind: string;
  readonly listKind?: string | undefined;
}

/** Accepted names of a definition. */
function takenBy({ spec, status }: Definition): TakenNames {
  return { ...(status?.acceptedNames ?? { plural: "", kind: "" }), group: spec.group };
}

/**
 * The status that a definition should have: which of the names it asks for it gets, and whether its kind can be
 * served. `others` are all other definitions; whether this one is among them makes no difference. The very same
 * status comes back when nothing changes.
 *
 * A definition is established once all its names have been accepted, and stays so: names that it asks for later
 * and cannot have leave those it has.
 */
export function nextStatus(
  definition: Definition,
  others: readonly Definition[],
  builtIn: readonly TakenNames[],
  clock: Clock,
): DefinitionStatus {
  const status = definition.status ?? {};
  const { names, conflict } = acceptNames(definition, [...others.map(takenBy), ...builtIn]);
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
  const { names: asked, group } = definition.spec;
  const has = takenBy(definition);
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of [...others, has]) {
    if (other.group !== group) continue;
    for (const name of [other.plural, other.singular ?? "", ...(other.shortNames ?? [])]) resources.add(name);
    for (const kind of [other.kind, other.listKind ?? ""]) kinds.add(kind);
  }

  let conflict: Conflict | undefined;
  const take = (what: string, wanted: string, own: string, taken: ReadonlySet<string>): string => {
    if (wanted === own || !taken.has(wanted)) return wanted;
    conflict = { reason: `${what}Conflict`, message: inUse(wanted) };
    return own;
  };
  const plural = take("Plural", asked.plural, has.plural, resources);
  const singular = take("Singular", asked.singular ?? "", has.singular ?? "", resources);
  let shortNames = asked.shortNames ?? [];
  const used = shortNames.filter((name) => resources.has(name) && !has.shortNames?.includes(name));
  if (used.length > 0) {
    const messages = [...new Set(used)].map(inUse);
    conflict = {
      reason: "ShortNamesConflict",
      message: messages.length === 1 ? messages.join("") : `[${messages.join(", ")}]`,
    };
    shortNames = has.shortNames ?? [];
  }
  const kind = take("Kind", asked.kind, has.kind, kinds);
  const listKind = take("ListKind", asked.listKind ?? "", has.listKind ?? "", kinds);
  const names: DefinitionNames = {
    plural,
    ...(singular !== "" && { singular }),
    ...(shortNames.length > 0 && { shortNames }),
    kind,
    ...(listKind !== "" && { listKind }),
    ...(asked.categories?.length && { categories: asked.categories }),
  };
  return { names, conflict };
}

function inUse(name: string): string {
  return `${quote(name)} is already in use`;
}
