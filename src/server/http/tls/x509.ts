import type * as X509 from "@peculiar/x509";

let loaded: Promise<typeof X509> | undefined;

/**
 * The library that writes certificates. It is large and needed once a year, so it is loaded when it is.
 *
 * Its parts find each other through decorators that ask for `Reflect.getMetadata`, which JavaScript does not have. They
 * ask only while they are loaded and take an empty answer, so they get one for that long, and nothing stays behind.
 */
export function loadX509(): Promise<typeof X509> {
  loaded ??= withReflectMetadata(() => import("@peculiar/x509"));
  return loaded;
}

const missing = ["getMetadata", "getOwnMetadata"] as const;

async function withReflectMetadata<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  const reflect = Reflect as unknown as Record<string, unknown>;
  const added = missing.filter((name) => reflect[name] === undefined);
  for (const name of added) reflect[name] = (): undefined => undefined;
  try {
    return await load();
  } finally {
    for (const name of added) Reflect.deleteProperty(reflect, name);
  }
}
