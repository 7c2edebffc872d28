import type { Client, Manifest } from "../../client/client.js";
import { Namespace } from "../../client/kinds/kubernetes.js";
import { isAlreadyExists, type KubeObject, type ObjectMeta } from "../../model/core.js";

/**
 * Initial object: a manifest, optionally with status. Owner references of other initial objects can use its uid. An
 * object with a deletionTimestamp is deleted, and its finalizers keep it.
 */
export type TestObject = Manifest | KubeObject;

/**
 * Creates objects in the required order: namespaces before their contents, owners before their children. The server assigns
 * new uids, and owner references are changed to them.
 */
export async function createObjects(client: Client, objects: readonly TestObject[]): Promise<void> {
  for (const object of objects) checkDeletion(object);
  const owners = new Map(objects.map((object) => [object.metadata.uid, object]));
  const created = new Map<TestObject, KubeObject>();
  const started = new Set<TestObject>();
  for (const object of objects.filter(isNamespace)) await put(object);
  for (const object of objects) await put(object);
  // Last, because nothing can be created in a namespace that is being deleted.
  for (const [{ metadata }, object] of created) {
    if (metadata.deletionTimestamp !== undefined) await client.delete(object, object);
  }

  async function put(object: TestObject): Promise<void> {
    if (started.has(object)) return;
    started.add(object);
    const { ownerReferences } = object.metadata;
    const owned: { uid: string }[] = [];
    for (const reference of ownerReferences ?? []) {
      const owner = owners.get(reference.uid);
      if (owner !== undefined) await put(owner);
      owned.push({ ...reference, uid: (owner && created.get(owner)?.metadata.uid) ?? reference.uid });
    }
    const metadata = { ...object.metadata, ...(ownerReferences && { ownerReferences: owned }) };
    created.set(object, await create(client, { ...object, metadata } as Manifest));
  }
}

/** Rejects objects that would be deleted at once because they have no finalizer. */
function checkDeletion({ kind, metadata }: TestObject): void {
  const { name = "", deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0) return;
  throw new TypeError(
    `${kind} ${name} has a deletionTimestamp but no finalizers, so it would be deleted at once: add a finalizer, or leave the object out`,
  );
}

function isNamespace({ apiVersion, kind }: TestObject): boolean {
  return apiVersion === "v1" && kind === "Namespace";
}

/** Creates an object with its status, and its namespace if that does not exist. */
async function create(client: Client, manifest: Manifest): Promise<KubeObject> {
  const { resourceVersion: _, uid: __, deletionTimestamp: ___, ...metadata } = manifest.metadata;
  const { namespace = "default" } = metadata;
  if (namespace !== "default") await createOrLabel(client, { metadata: { name: namespace } });
  const draft = { ...manifest, metadata } as Manifest;
  const object = isNamespace(manifest) ? await createOrLabel(client, draft) : await client.create(draft);
  const { status } = manifest as { readonly status?: unknown };
  if (status !== undefined) await client.patchStatus(object, object, { status });
  return object;
}

/** Creates a namespace, or labels one that exists by default or because an object was created in it. */
async function createOrLabel(client: Client, draft: { readonly metadata: ObjectMeta }): Promise<KubeObject> {
  try {
    return await client.create(Namespace, draft);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { name = "", labels = {}, annotations = {} } = draft.metadata;
    return client.patch(Namespace, name, { metadata: { labels, annotations } });
  }
}
