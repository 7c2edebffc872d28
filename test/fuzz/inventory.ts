import type { Administrator } from "./administrator.js";
import { readCatalog } from "./requests/catalog.js";

interface Item {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

/** Reads all stored objects in every format, and throws if one cannot be read. Returns one line per object. */
export async function takeInventory(admin: Administrator): Promise<string[]> {
  const catalog = await readCatalog((path) => admin.readJson(path));
  for (const path of catalog.documents) await admin.read(path, "*/*");
  await admin.read("/openapi/v2");
  const found: string[] = [];
  for (const { group, version, plural, verbs } of catalog.resources) {
    if (!verbs.includes("list")) continue;
    const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    const path = `${root}/${plural}`;
    for (const accept of [table, "application/yaml"]) await admin.read(path, accept);
    const { items } = (await admin.readJson(path)) as unknown as { items: Item[] };
    for (const { metadata } of items) {
      const { name, namespace, uid, resourceVersion } = metadata;
      const scope = namespace === undefined ? "" : `/namespaces/${namespace}`;
      const own = `${root}${scope}/${plural}/${encodeURIComponent(name)}`;
      const one = (await admin.readJson(own)) as unknown as Item;
      if (one.metadata.uid !== uid) throw new Error(`${own} is listed as ${uid} and is ${one.metadata.uid}`);
      found.push(`${own} ${uid} ${resourceVersion}`);
    }
  }
  return found.sort();
}
