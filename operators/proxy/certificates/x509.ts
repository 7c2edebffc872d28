import type * as X509 from "@peculiar/x509";

let loaded: Promise<typeof X509> | undefined;

/**
 * Loads the library that creates certificates, when the first one is needed.
 *
 * While it loads, its decorators call `Reflect.getMetadata`, which JavaScript does not have, and accept undefined as the result.
 * Stubs exist for that time only.
 */
export function loadX509(): Promise<typeof X509> {
  loaded ??= withReflectMetadata(() => import("@peculiar/x509"));
  return loaded;
}

const stubNames = ["getMetadata", "getOwnMetadata"] as const;

async function withReflectMetadata<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  const reflect = Reflect as unknown as Record<string, unknown>;
  const added = stubNames.filter((name) => reflect[name] === undefined);
  for (const name of added) reflect[name] = (): undefined => undefined;
  try {
    return await load();
  } finally {
    for (const name of added) Reflect.deleteProperty(reflect, name);
  }
}
