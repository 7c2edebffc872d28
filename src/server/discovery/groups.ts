import type { ResourceType } from "../resources/resource-type.js";
import { compareApiVersions } from "./version-priority.js";

/** Group with its kinds by version, the preferred version first. */
export interface Group {
  /** Empty for the core group. */
  readonly name: string;
  readonly versions: readonly GroupVersionTypes[];
}

interface GroupVersionTypes {
  readonly version: string;
  /** Sorted by plural name. */
  readonly types: readonly ResourceType[];
}

/**
 * Groups of the served kinds: the core group first (even when empty, since clients request its path), then by priority.
 * Clients that find a name in several groups use the first, so a definition cannot shadow a built-in kind.
 */
export function groupsOf(types: readonly ResourceType[]): readonly Group[] {
  const collected = new Map([["", new Map<string, ResourceType[]>([["v1", []]])]]);
  const priorities = new Map([["", Number.POSITIVE_INFINITY]]);
  for (const type of types) {
    const versions = entry(collected, type.group, () => new Map<string, ResourceType[]>());
    entry(versions, type.version, (): ResourceType[] => []).push(type);
    const { groupPriority } = type.capabilities;
    priorities.set(type.group, Math.max(groupPriority, priorities.get(type.group) ?? groupPriority));
  }
  const priority = (name: string): number => priorities.get(name) ?? 0;
  const names = [...collected.keys()].sort((a, b) => {
    return priority(a) === priority(b) ? (a < b ? -1 : 1) : priority(b) - priority(a);
  });
  return names.map((name) => {
    const versions = [...(collected.get(name) ?? [])].map(([version, served]) => ({
      version,
      types: served.sort((a, b) => (a.plural < b.plural ? -1 : 1)),
    }));
    return { name, versions: versions.sort((a, b) => compareApiVersions(a.version, b.version)) };
  });
}

/** A group; undefined when nothing is served in it. */
export function findGroup(types: readonly ResourceType[], name: string): Group | undefined {
  return groupsOf(types).find((group) => group.name === name);
}

/** Kinds of a group version; undefined when there is no such version. */
export function findGroupVersion(
  types: readonly ResourceType[],
  group: string,
  version: string,
): readonly ResourceType[] | undefined {
  return findGroup(types, group)?.versions.find((served) => served.version === version)?.types;
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
