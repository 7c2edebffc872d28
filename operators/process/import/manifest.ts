import { duration, type SpecInput } from "fettle";
import type { Process, ProcessSet } from "../kinds.js";
import type { ImportProblem } from "./import-problem.js";

export type ProcessInput = SpecInput<typeof Process>;

interface ImportedMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Manifest that was made from another format. Has only fields that differ from their defaults. */
export type ImportedObject = { readonly apiVersion: string; readonly metadata: ImportedMetadata } & (
  | { readonly kind: "Process"; readonly spec: ProcessInput }
  | { readonly kind: "ProcessSet"; readonly spec: SpecInput<typeof ProcessSet> }
);

export interface Imported {
  /** In the order of the file. */
  readonly objects: readonly ImportedObject[];
  /** Parts of the file that were left out or changed, in the order of the file. */
  readonly warnings: readonly ImportProblem[];
}

const apiVersion = "process.fettle.dev/v1";

/** Makes a Process, or a ProcessSet for more than one replica. */
export function manifestOf(
  metadata: ImportedMetadata,
  input: ProcessInput,
  replicas: number = 1,
): ImportedObject {
  const { suspend, schedule, ...shape } = ordered(input);
  if (replicas <= 1) {
    const isSuspended = suspend === true || replicas === 0;
    const spec = { ...shape, ...(isSuspended && { suspend: true }), ...(schedule && { schedule }) };
    return { apiVersion, kind: "Process", metadata, spec };
  }
  const spec = { replicas, template: { spec: shape }, ...(suspend === true && { suspend }) };
  return { apiVersion, kind: "ProcessSet", metadata, spec };
}

const fieldOrder = [
  "command",
  "args",
  "env",
  "user",
  "group",
  "workingDir",
  "ports",
  "limits",
  "restart",
  "stop",
  "startupProbe",
  "readinessProbe",
  "livenessProbe",
  "dependsOn",
] as const satisfies readonly (keyof ProcessInput)[];

/** Same order in every manifest, without fields that are undefined or empty. */
function ordered(input: ProcessInput): ProcessInput {
  const fields = [...fieldOrder, "suspend", "schedule"] as const;
  return compact(Object.fromEntries(fields.map((field) => [field, input[field]]))) as ProcessInput;
}

/** Removes undefined fields, empty lists and empty objects. */
export function compact<Value extends object>(value: Value): Value {
  const kept = Object.entries(value).filter(([, each]) => {
    if (each === undefined) return false;
    return typeof each !== "object" || each === null || Object.keys(each).length > 0;
  });
  return Object.fromEntries(kept) as Value;
}

/** Returns a duration, or undefined if it is as long as the default. */
export function unlessDefault<Text extends string>(
  value: Text | undefined,
  defaultValue: string,
): Text | undefined {
  return value === undefined || duration(value) === duration(defaultValue) ? undefined : value;
}

/**
 * Protects text from the replacement of `$(NAME)` in commands and variables.
 *
 * @example
 * escapeReferences("echo $(date)"); // "echo $$(date)"
 */
export function escapeReferences(text: string): string {
  return text.replaceAll(/\$\([^)\s]+\)/g, "$$$&");
}

/** List of variables, escaped. */
export function envOf(variables: ReadonlyMap<string, string>): { name: string; value: string }[] {
  return [...variables].map(([name, value]) => ({ name, value: escapeReferences(value) }));
}

/**
 * Names of objects made from names of another format, each used once.
 *
 * @example
 * const names = new ObjectNames();
 * names.add("Web_Server", 3); // { name: "web-server", change: "…" }
 */
export class ObjectNames {
  readonly #lines = new Map<string, { readonly source: string; readonly line: number }>();

  /** Converts a name. Has a `problem` if it cannot be used, and a `change` to warn about if it became another one. */
  add(
    source: string,
    line: number,
  ): { readonly name: string; readonly problem?: string; readonly change?: string } {
    const name = objectName(source);
    const before = this.#lines.get(name);
    if (name === "" || name.length > maxNameLength) {
      return {
        name,
        problem: `${JSON.stringify(source)} cannot be made a name: use up to ${maxNameLength} letters, digits and "-"`,
      };
    }
    if (before !== undefined) {
      const same = before.source === source;
      const problem = same
        ? `${JSON.stringify(source)} is already defined in line ${before.line}`
        : `${JSON.stringify(source)} would become ${name}, as ${JSON.stringify(before.source)} of line ${before.line} does`;
      return { name, problem };
    }
    this.#lines.set(name, { source, line });
    if (name === source) return { name };
    return {
      name,
      change: `${JSON.stringify(source)} becomes ${name}: names have lower-case letters, digits and "-"`,
    };
  }
}

const maxNameLength = 63;

/** DNS label that is nearest to a name; an empty string if nothing of it remains. */
export function objectName(source: string): string {
  return source
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}
