import type { ProcessObject } from "./kinds.js";
import { conditionsOf } from "./status.js";

/** Finds a process of the same namespace. */
type Find = (name: string) => ProcessObject | undefined;

/** Describes the first dependency that is not there yet; undefined if all are. */
export function unmetDependency({ spec }: ProcessObject, find: Find): string | undefined {
  for (const { name, condition } of spec.dependsOn) {
    const found = find(name);
    if (found === undefined) return `it depends on process ${name}, which does not exist`;
    if (!isMet(found, condition)) {
      const { state = "Pending" } = found.status ?? {};
      return `it depends on process ${name} being ${condition}, which is ${state}`;
    }
  }
  return undefined;
}

function isMet(process: ProcessObject, condition: "Started" | "Ready" | "Completed"): boolean {
  const { state } = process.status ?? {};
  switch (condition) {
    case "Started":
      return state === "Running" || state === "Completed";
    case "Ready":
      return (state === "Running" || state === "Completed") && conditionsOf(process).ready === "True";
    case "Completed":
      return state === "Completed";
  }
}

/** Names of processes that depend on each other in a circle that includes this one; undefined if there is none. */
export function dependencyCycle(process: ProcessObject, find: Find): readonly string[] | undefined {
  const start = process.metadata.name ?? "";
  const visited = new Set<string>();
  const search = (current: ProcessObject, path: readonly string[]): readonly string[] | undefined => {
    for (const { name } of current.spec.dependsOn) {
      if (name === start) return [...path, name];
      if (visited.has(name)) continue;
      visited.add(name);
      const found = find(name);
      const cycle = found === undefined ? undefined : search(found, [...path, name]);
      if (cycle !== undefined) return cycle;
    }
    return undefined;
  };
  return search(process, [start]);
}
