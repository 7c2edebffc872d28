import { readFileSync } from "node:fs";

const read = (name: string): string =>
  readFileSync(new URL(`../../../src/server/kinds/fixtures/${name}`, import.meta.url), "utf8");

/** Objects encoded by Kubernetes, by apiVersion and kind. */
export const encodedObjects: ReadonlyMap<string, readonly Uint8Array[]> = (() => {
  const found = new Map<string, Uint8Array[]>();
  const text = read("protobuf.txt") + read("workloads.txt");
  for (const [, kind = "", bytes = ""] of text.matchAll(/^(\S+ [A-Z]\w+)\n([\w+/=]+)$/gm)) {
    const same = found.get(kind) ?? [];
    same.push(Buffer.from(bytes, "base64"));
    found.set(kind, same);
  }
  return found;
})();

/** Bytes in the envelope of an object. */
export function envelope(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const type = Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from(kind))]);
  return Buffer.concat([Buffer.from("k8s\0"), field(1, type), field(2, raw)]);
}

/** Length-delimited field. */
export function field(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

export function varint(number: number): Uint8Array {
  const bytes: number[] = [];
  let rest = number;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Uint8Array.from([...bytes, rest]);
}
