/**
 * ID of an operation, composed as in Kubernetes: verb, group, version and subject.
 *
 * @example
 * operationId("list", { group: "demo.dev", version: "v1" }, "NamespacedWidget"); // "listDemoDevV1NamespacedWidget"
 */
export function operationId(
  verb: string,
  { group, version }: { group: string; version: string },
  subject: string,
): string {
  return `${verb}${camelCase(shortGroup(group), true)}${camelCase(version, true)}${subject}`;
}

/** Tag of the operations of a group version: `demoDev_v1`. */
export function tagOf({ group, version }: { group: string; version: string }): string {
  return `${camelCase(shortGroup(group), false)}_${camelCase(version, false)}`;
}

function shortGroup(group: string): string {
  return group === "" ? "core" : group.replace(/\.k8s\.io$/, "");
}

function camelCase(text: string, capital: boolean): string {
  const words = text.split(/[^a-zA-Z0-9_]+/).filter((word) => word !== "");
  return words.map((word, at) => (capital || at > 0 ? capitalized(word) : word)).join("");
}

export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
