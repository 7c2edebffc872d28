import type { Draft } from "../../../resources/resource-type.js";
import type { Checks } from "../checks.js";

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

/** Status of a new volume or claim, before something binds it. */
export function setPending(object: Draft): void {
  object["status"] = { phase: "Pending" };
}

/** `RWO,ROX`. */
export function modesCell(modes: readonly string[] = []): string {
  return Object.keys(shortModes)
    .filter((mode) => modes.includes(mode))
    .map((mode) => shortModes[mode])
    .join(",");
}

export function validateModes(modes: readonly string[] = [], detail: string, checks: Checks): void {
  if (modes.length === 0) checks.required(detail);
  for (const mode of modes) checks.oneOf(mode, Object.keys(shortModes).sort());
  const valid = modes.filter((mode) => Object.hasOwn(shortModes, mode));
  if (valid.includes("ReadWriteOncePod") && valid.some((mode) => mode !== "ReadWriteOncePod")) {
    checks.forbidden("may not use ReadWriteOncePod with other access modes");
  }
}
