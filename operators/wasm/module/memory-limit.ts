import { BinaryReader, encodeU32, sectionIds, sections } from "./binary.js";

/** Bytes of a page of memory. */
export const pageBytes = 1 << 16;

/**
 * Elements that all tables of a module may have. Engines keep tables in their own heap, and end the whole process when it is full:
 * tables may therefore not grow at will. Function tables of large programs have some ten thousand elements.
 */
export const maxTableElements = 200_000;

/**
 * Returns the module with a maximum for its memory, so that `memory.grow` fails beyond it. Modules define their memory themselves, and
 * engines have no other limit for it. A lower maximum is kept. Tables get a maximum too.
 *
 * @throws {RangeError} if memory or tables are larger than that at the start.
 */
export function withMemoryLimit(bytes: Uint8Array, maxPages: number): Uint8Array {
  const parts: Uint8Array[] = [bytes.subarray(0, 8)];
  for (const { id, start, contentStart, end } of sections(bytes)) {
    if (id !== sectionIds.memory && id !== sectionIds.table) {
      parts.push(bytes.subarray(start, end));
      continue;
    }
    const reader = new BinaryReader(bytes, contentStart, end);
    const count = reader.u32();
    const isTable = id === sectionIds.table;
    const most = isTable ? Math.floor(maxTableElements / Math.max(1, count)) : maxPages;
    const content = encodeU32(count);
    while (!reader.isAtEnd) {
      const typeStart = reader.offset;
      if (isTable) reader.valueType();
      content.push(...bytes.subarray(typeStart, reader.offset));
      const { minimum, maximum, isShared } = reader.limits();
      if (minimum > most) {
        throw new RangeError(`a minimum of ${minimum} ${isTable ? "elements" : "pages"} exceeds ${most}`);
      }
      content.push(isShared ? 3 : 1, ...encodeU32(minimum), ...encodeU32(Math.min(maximum ?? most, most)));
    }
    parts.push(Uint8Array.from([id, ...encodeU32(content.length), ...content]));
  }
  return Buffer.concat(parts);
}
