import type { Client } from "../../../client/client.js";
import { asApiError, isNotFound, names, type KubeObject } from "../../../model/core.js";
import type { FieldCause } from "../contract.js";
import { comesWith } from "./comes-with.js";

/** An object before and after a manifest would be applied. */
export interface Rehearsed {
  readonly before: KubeObject | undefined;
  /** With the server's defaults, as far as it could be asked. */
  readonly after: KubeObject;
  /** Why the server does not take it. */
  readonly problem?: string | undefined;
  /** The fields that are to blame, where it says which. */
  readonly causes?: readonly FieldCause[] | undefined;
}

const fieldManager = "fettle";

/** Asks the server what would become of a manifest; `manifests` are all that it would be applied with. */
export async function rehearse(
  client: Client,
  manifest: KubeObject,
  manifests: readonly KubeObject[],
  signal: AbortSignal,
): Promise<Rehearsed> {
  const options = { dryRun: true, fieldManager, signal };
  let before: KubeObject | undefined;
  const causes = wrongNames(manifest);
  // Nobody can be asked about what fits into no path.
  if (causes.length > 0) return { before, after: manifest, problem: causes[0]?.message, causes };
  try {
    if (!manifest.metadata.name) return { before, after: await client.create(manifest, options) };
    before = await client.find(manifest, manifest, { signal });
    return { before, after: await client.apply(manifest, { ...options, force: true }) };
  } catch (error) {
    signal.throwIfAborted();
    const failure = asApiError(error);
    if (failure === undefined) throw error;
    const isToCome = isNotFound(failure) && comesWith(manifest, manifests);
    return isToCome
      ? { before, after: await elsewhere(client, manifest, signal) }
      : { before, after: manifest, problem: failure.message, causes: failure.status.details?.causes };
  }
}

function wrongNames({ metadata: { name, namespace } }: KubeObject): FieldCause[] {
  return Object.entries({ name, namespace }).flatMap(([part, text]) =>
    names.validatePathSegmentName(text ?? "").map((why) => ({
      field: `metadata.${part}`,
      message: `metadata.${part}: ${JSON.stringify(text)} ${why}`,
    })),
  );
}

/**
 * What would become of an object whose namespace is made by another manifest: the same as in any other one. When its kind is
 * not there yet either, all that is known is what it says itself.
 */
async function elsewhere(client: Client, manifest: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  const { name, namespace, ...metadata } = manifest.metadata;
  try {
    const draft = { ...manifest, metadata: { ...metadata, generateName: "plan-" } };
    const made = await client.create(draft, { dryRun: true, fieldManager, signal });
    const { generateName: _, ...rest } = made.metadata;
    return { ...made, metadata: { ...rest, ...(name && { name }), ...(namespace && { namespace }) } };
  } catch {
    signal.throwIfAborted();
    return manifest;
  }
}
