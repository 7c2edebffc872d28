import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "fettle";
import { Namespace } from "fettle/kubernetes";

/** Namespaces that are never replaced, the first one by custom of Kubernetes: their uid identifies a cluster. */
const lasting = ["kube-system", "default"];

/**
 * Checks that a folder belongs to the control plane of a client. In that of another one, all processes would look like leftovers of
 * deleted objects.
 */
export async function checkCluster(folder: string, client: Client): Promise<void> {
  const file = join(folder, "cluster");
  const own = await clusterUid(client);
  const found = await readFile(file, "utf8").catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return writeFile(file, `${own}\n`, { mode: 0o600 });
  if (found.trim() === own) return;
  throw new Error(
    `${folder} has processes of another control plane (${found.trim()}, not ${own}); use another data folder, or remove this one if its processes no longer run`,
  );
}

async function clusterUid(client: Client): Promise<string> {
  for (const name of lasting) {
    const uid = (await client.find(Namespace, name))?.metadata.uid;
    if (uid !== undefined) return uid;
  }
  throw new Error(`the API has none of the namespaces ${lasting.join(" and ")}`);
}
