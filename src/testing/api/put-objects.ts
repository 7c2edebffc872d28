import type { Client, Manifest } from "../../client/client.js";
import { Namespace } from "../../client/kinds/kubernetes.js";
import { isAlreadyExists, type KubeObject, type ObjectMeta } from "../../model/core.js";

/**
 * An object to begin with: a manifest, with its status if it has one. Owner references of others may name the uid it is given
 * here; with a deletionTimestamp it is being deleted, and held back by its finalizers.
 */
export type TestObject = Manifest | KubeObject;

/**
 * Creates objects as they are given, in whatever order: namespaces before what is in them, owners before what they own. The
 * server makes uids of its own, which owner references then name.
 */
export async function putAll(client: Client, objects: readonly TestObject[]): Promise<void> {
  for (const object of objects) checkDeletion(object);
  const owners = new Map(objects.map((object) => [object.metadata.uid, object]));
  const made = new Map<TestObject, KubeObject>();
  const begun = new Set<TestObject>();
  for (const object of objects.filter(isNamespace)) await put(object);
  for (const object of objects) await put(object);
  // In the end, so that a namespace takes in what is given with it.
  for (const [{ metadata }, object] of made) {
    if (metadata.deletionTimestamp !== undefined) await client.delete(object, object);
  }

  async function put(object: TestObject): Promise<void> {
    if (begun.has(object)) return;
    begun.add(object);
    const { ownerReferences } = object.metadata;
    const owned: { uid: string }[] = [];
    for (const reference of ownerReferences ?? []) {
      const owner = owners.get(reference.uid);
      if (owner !== undefined) await put(owner);
      owned.push({ ...reference, uid: (owner && made.get(owner)?.metadata.uid) ?? reference.uid });
    }
    const metadata = { ...object.metadata, ...(ownerReferences && { ownerReferences: owned }) };
    made.set(object, await create(client, { ...object, metadata } as Manifest));
  }
}

/** What has no finalizer is gone the moment it is deleted. */
function checkDeletion({ kind, metadata }: TestObject): void {
  const { name = "", deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0) return;
  throw new TypeError(
    `${kind} ${name} has a deletionTimestamp and no finalizers, so it would be gone: give it a finalizer, or leave it out`,
  );
}

function isNamespace({ apiVersion, kind }: TestObject): boolean {
  return apiVersion === "v1" && kind === "Namespace";
}

/** Creates an object with its status, in a namespace that is made if need be. */
async function create(client: Client, manifest: Manifest): Promise<KubeObject> {
  const { resourceVersion: _, uid: __, deletionTimestamp: ___, ...metadata } = manifest.metadata;
  const { namespace = "default" } = metadata;
  if (namespace !== "default") await createOrLabel(client, { metadata: { name: namespace } });
  const draft = { ...manifest, metadata } as Manifest;
  const made = isNamespace(manifest) ? await createOrLabel(client, draft) : await client.create(draft);
  const { status } = manifest as { readonly status?: unknown };
  if (status !== undefined) await client.patchStatus(made, made, { status });
  return made;
}

/** Some namespaces are always there, and others because something was put into them. */
async function createOrLabel(client: Client, draft: { readonly metadata: ObjectMeta }): Promise<KubeObject> {
  try {
    return await client.create(Namespace, draft);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { name = "", labels = {}, annotations = {} } = draft.metadata;
    return client.patch(Namespace, name, { metadata: { labels, annotations } });
  }
}
