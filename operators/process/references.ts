import { isUtf8 } from "node:buffer";
import type { KubeObject, ObjectOf } from "fettle";
import { ConfigMap, Secret } from "fettle/kubernetes";
import type { ReconcileContext } from "fettle/runtime";
import type { Process, ProcessObject } from "./kinds.js";
import { LaunchError, type References } from "./launch.js";

type Context = ReconcileContext<typeof Process, never>;
type ReferenceField = "configMapKeyRef" | "secretKeyRef";

/** Values from the cache for the variables of a process. */
export function cachedReferences({ metadata }: ProcessObject, read: Context["read"]): References {
  const { namespace = "" } = metadata;
  return {
    configMap: (name, key) => read(ConfigMap, { name, namespace })?.data?.[key],
    secret: (name, key) => secretText(read(Secret, { name, namespace }), key),
  };
}

/** Compares the ConfigMaps and Secrets of a process in the API with those in the cache. */
export async function referencesAreCurrent(
  process: ProcessObject,
  { read, client }: Pick<Context, "read" | "client">,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace = "" } = process.metadata;
  for (const [Kind, names] of [
    [ConfigMap, referenceNames(process, "configMapKeyRef")],
    [Secret, referenceNames(process, "secretKeyRef")],
  ] as const) {
    for (const name of names) {
      const stored = await client.find(Kind, { name, namespace }, { signal });
      const cached = read(Kind, { name, namespace });
      if (stored?.metadata.resourceVersion !== cached?.metadata.resourceVersion) return false;
    }
  }
  return true;
}

/** Keys, `namespace/name`, of the ConfigMaps or Secrets that a process uses. */
export function referenceKeys(process: ProcessObject, field: ReferenceField): readonly string[] {
  return [...referenceNames(process, field)].map((name) => keyIn(process, name));
}

function referenceNames({ spec }: ProcessObject, field: ReferenceField): ReadonlySet<string> {
  return new Set(spec.env.flatMap(({ valueFrom }) => valueFrom?.[field]?.name ?? []));
}

/** Key of an object with this name, in the namespace of another one. */
export function keyIn({ metadata }: KubeObject, name: string): string {
  return `${metadata.namespace}/${name}`;
}

/** @throws {LaunchError} for bytes that are no text: replacing some of them would change a password without a word. */
function secretText(secret: ObjectOf<typeof Secret> | undefined, key: string): string | undefined {
  const base64 = secret?.data?.[key];
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, "base64");
  if (isUtf8(bytes)) return bytes.toString();
  throw new LaunchError(
    "InvalidSpec",
    `the key ${key} of Secret ${secret?.metadata.name} is not UTF-8 text, so it cannot be the value of a variable`,
  );
}
