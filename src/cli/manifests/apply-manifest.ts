import type { ApplyOptions, Client, Manifest } from "../../client/client.js";
import { applyOverEdits, type ContestedField } from "../../client/apply-over-edits.js";
import type { UntypedObject } from "../../client/kinds/kind.js";
import { diff, findCondition, parseApiVersion, type Condition } from "../../model/core.js";
import { untilObject } from "../objects/until-object.js";

export interface AppliedManifest {
  readonly object: UntypedObject;
  readonly outcome: "created" | "configured" | "unchanged";
  /** Fields that had been changed by hand, and have the value of the manifest again. */
  readonly reverted: readonly ContestedField[];
}

/** Fields of the server, ignored when objects are compared. */
const bookkeeping = ["metadata.managedFields", "metadata.resourceVersion", "metadata.generation"];

/** Applies a manifest by server-side apply; one with a generateName is created. */
export async function applyManifest(
  client: Client,
  manifest: Manifest,
  options: ApplyOptions,
): Promise<AppliedManifest> {
  const { object, before, reverted } = await applyOverEdits(client, manifest, options);
  if (before === undefined) return { object, outcome: "created", reverted };
  // A dry run returns no new resourceVersion, so the content is compared.
  const same =
    options.dryRun === true
      ? diff(before, object, { ignore: bookkeeping }).length === 0
      : before.metadata.resourceVersion === object.metadata.resourceVersion;
  return { object, outcome: same ? "unchanged" : "configured", reverted };
}

/** Definitions and namespaces come first, since other manifests may need them. */
const order = new Map([
  ["CustomResourceDefinition", 0],
  ["Namespace", 1],
]);

/** Sorts manifests in the order in which they are applied. */
export function inOrder<T extends { readonly manifest: Manifest }>(manifests: readonly T[]): readonly T[] {
  return manifests.toSorted((a, b) => rank(a.manifest) - rank(b.manifest));
}

function rank({ kind }: Manifest): number {
  return order.get(kind) ?? 2;
}

/** Printed name of a manifest: `site.demo.dev/hello`. */
export function manifestTitle({ apiVersion, kind, metadata }: Manifest): string {
  const group = parseApiVersion(apiVersion)?.group ?? "";
  const name = metadata.name ?? `${metadata.generateName ?? ""}…`;
  return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${name}`;
}

/** Waits until the server serves a definition; false when the signal aborts first. */
export async function untilServed(
  client: Client,
  definition: UntypedObject,
  signal: AbortSignal,
): Promise<boolean> {
  const kind = await client.kind(definition, { signal });
  const target = { kind, name: definition.metadata.name ?? "", namespace: undefined };
  return untilObject(
    client,
    target,
    (object) => {
      const { conditions } = (object?.["status"] ?? {}) as { conditions?: readonly Condition[] };
      return findCondition(conditions, "Established")?.status === "True";
    },
    signal,
  );
}
