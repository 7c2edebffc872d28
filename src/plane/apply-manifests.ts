import { parseAllDocuments } from "yaml";
import type { Client, Manifest } from "../client/client.js";
import type { KubeObject } from "../model/core.js";

/** Result of applying one manifest. */
export interface Applied {
  readonly object: KubeObject;
  readonly outcome: "created" | "configured" | "unchanged";
}

export interface ApplyManifestsOptions {
  readonly fieldManager?: string | undefined;
  readonly force?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each manifest. */
  readonly onApplied?: ((applied: Applied) => void) | undefined;
  readonly onWarning?: ((text: string) => void) | undefined;
}

/** A malformed manifest; the message has its position. */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
}

/**
 * Parses YAML with any number of documents, or JSON; a List is replaced by its items. `where` names the text in errors.
 */
export function parseManifests(text: string, where = "manifest"): readonly Manifest[] {
  const manifests: Manifest[] = [];
  for (const document of parseAllDocuments(text, { prettyErrors: true })) {
    if (!("errors" in document)) continue;
    const [problem] = document.errors;
    if (problem !== undefined) {
      const { line = 0, col = 0 } = problem.linePos?.[0] ?? {};
      throw new ManifestError(`${where}:${line}:${col}: ${firstLine(problem.message)}`);
    }
    const value: unknown = document.toJS({ maxAliasCount: 1000 });
    if (value !== null && value !== undefined) manifests.push(...asManifests(value, where));
  }
  return manifests;
}

/** Message of a YAML error without its position and excerpt. */
function firstLine(message: string): string {
  return (message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, "");
}

function asManifests(value: unknown, where: string): Manifest[] {
  if (Array.isArray(value)) return value.flatMap((item) => asManifests(item, where));
  if (typeof value !== "object" || value === null) {
    throw new ManifestError(
      `${where}: a manifest must be an object with apiVersion, kind and metadata, not ${typeof value}`,
    );
  }
  const { apiVersion, kind, metadata, items } = value as Record<string, unknown>;
  if (typeof kind === "string" && kind.endsWith("List") && Array.isArray(items)) {
    return items.flatMap((item) => asManifests(item, where));
  }
  for (const [field, found] of Object.entries({ apiVersion, kind })) {
    if (typeof found !== "string" || found === "") throw new ManifestError(`${where}: ${field} is missing`);
  }
  const { name, generateName } = (metadata ?? {}) as Record<string, unknown>;
  if (typeof name !== "string" && typeof generateName !== "string") {
    throw new ManifestError(`${where}: ${String(kind)} has no metadata.name`);
  }
  return [value as Manifest];
}

/** Definitions and namespaces come first, since other objects may need them. */
const order = new Map([
  ["CustomResourceDefinition", 0],
  ["Namespace", 1],
]);

/** Applies manifests with server-side apply: definitions and namespaces first, then the others in the given order. */
export async function applyManifests(
  client: Client,
  manifests: readonly (string | object)[],
  options: ApplyManifestsOptions = {},
): Promise<readonly Applied[]> {
  const { fieldManager = "fettle", force = true, onApplied, ...rest } = options;
  const all = manifests.flatMap((each) =>
    typeof each === "string" ? parseManifests(each) : asManifests(each, "manifest"),
  );
  const sorted = all.toSorted((a, b) => (order.get(a.kind) ?? 2) - (order.get(b.kind) ?? 2));
  const done: Applied[] = [];
  for (const manifest of sorted) {
    const { name, namespace } = manifest.metadata;
    const before =
      name === undefined
        ? undefined
        : await client.find(manifest, { name, namespace }, { signal: rest.signal });
    const object = await client.apply(manifest, { fieldManager, force, ...rest });
    const same = before?.metadata.resourceVersion === object.metadata.resourceVersion;
    const applied: Applied = {
      object,
      outcome: before === undefined ? "created" : same ? "unchanged" : "configured",
    };
    onApplied?.(applied);
    done.push(applied);
  }
  return done;
}
