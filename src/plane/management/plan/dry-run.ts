import { applyOverEdits } from "../../../client/apply-over-edits.js";
import type { Client } from "../../../client/client.js";
import { asApiError, isNotFound, names, parseApiVersion, type KubeObject } from "../../../model/core.js";
import type { FieldCause } from "../contract.js";

/** An object before and after a manifest would be applied. */
export interface DryRun {
  readonly before: KubeObject | undefined;
  /** With the server's defaults, as far as the server could apply them. */
  readonly after: KubeObject;
  /** Error of the server. */
  readonly problem?: string | undefined;
  /** Invalid fields, if the server reports them. */
  readonly causes?: readonly FieldCause[] | undefined;
}

const fieldManager = "fettle";

/** Applies a manifest as a dry run; `manifests` are all that would be applied together. */
export async function dryRun(
  client: Client,
  manifest: KubeObject,
  manifests: readonly KubeObject[],
  signal: AbortSignal,
): Promise<DryRun> {
  const options = { dryRun: true, fieldManager, signal };
  const causes = invalidNames(manifest);
  // Such a name cannot be part of a path, so the server cannot be asked.
  if (causes.length > 0) return { before: undefined, after: manifest, problem: causes[0]?.message, causes };
  try {
    const applied = await applyOverEdits(client, manifest, options);
    return { before: applied.before, after: applied.object };
  } catch (error) {
    signal.throwIfAborted();
    const failure = asApiError(error);
    if (failure === undefined) throw error;
    if (isNotFound(failure) && needsOthers(manifest, manifests))
      return { before: undefined, after: await withDefaults(client, manifest, signal) };
    const { name, namespace } = manifest.metadata;
    const before = name
      ? await client.find(manifest, { name, namespace }, { signal }).catch(() => undefined)
      : undefined;
    return { before, after: manifest, problem: failure.message, causes: failure.status.details?.causes };
  }
}

function invalidNames({ metadata: { name, namespace } }: KubeObject): FieldCause[] {
  return Object.entries({ name, namespace }).flatMap(([part, text]) =>
    names.validatePathSegmentName(text ?? "").map((why) => ({
      field: `metadata.${part}`,
      message: `metadata.${part}: ${JSON.stringify(text)} ${why}`,
    })),
  );
}

/** Tests whether another manifest creates the kind or the namespace of this one. */
export function needsOthers(
  { apiVersion, kind, metadata }: KubeObject,
  manifests: readonly KubeObject[],
): boolean {
  return manifests.some((other) => {
    if (other.kind === "Namespace" && other.metadata.name === metadata.namespace) return true;
    if (other.kind !== "CustomResourceDefinition") return false;
    const { group, names } = (other as { spec?: { group?: string; names?: { kind?: string } } }).spec ?? {};
    return names?.kind === kind && group === parseApiVersion(apiVersion)?.group;
  });
}

/**
 * Lets the server apply its defaults in the default namespace, since the namespace of the object does not exist yet. Returns
 * the manifest itself when its kind does not exist either.
 */
async function withDefaults(client: Client, manifest: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  const { name, namespace, ...metadata } = manifest.metadata;
  try {
    const draft = { ...manifest, metadata: { ...metadata, generateName: "plan-" } };
    const created = await client.create(draft, { dryRun: true, fieldManager, signal });
    const { generateName: _, ...rest } = created.metadata;
    return { ...created, metadata: { ...rest, ...(name && { name }), ...(namespace && { namespace }) } };
  } catch {
    signal.throwIfAborted();
    return manifest;
  }
}
