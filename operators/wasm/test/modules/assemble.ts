import { readdirSync, readFileSync } from "node:fs";
import loadWabt from "wabt";

const folder = new URL("./", import.meta.url);
const loading = loadWabt();

/** Names of the modules in this folder. */
export const moduleNames: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith(".wat"))
  .map((file) => file.slice(0, -".wat".length));

/**
 * Assembles a module of this folder.
 *
 * @example const bytes = await assemble("hello");
 */
export function assemble(name: string): Promise<Uint8Array> {
  return assembleText(readFileSync(new URL(`${name}.wat`, folder), "utf8"), name);
}

/** Assembles the text format of WebAssembly. */
export async function assembleText(text: string, name = "module"): Promise<Uint8Array> {
  const wabt = await loading;
  const module = wabt.parseWat(`${name}.wat`, text, { bulk_memory: true, reference_types: true });
  try {
    return Uint8Array.from(module.toBinary({}).buffer);
  } finally {
    module.destroy();
  }
}
