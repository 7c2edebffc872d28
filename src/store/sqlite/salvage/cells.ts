import { pageSize } from "../schema.js";
import type { PageVersion, SalvagedPages } from "./pages.js";
import { readRecord, readVarint, type ColumnValue } from "./record.js";

/** Kinds of pages with rows. */
const pageKind = { indexInterior: 0x02, indexLeaf: 0x0a, tableLeaf: 0x0d };

/** Row of a table or index. */
export interface Cell {
  /** Undefined in an index; a table without row ids is one. */
  readonly rowid: number | undefined;
  readonly columns: readonly ColumnValue[];
}

/** Rows of a page, as far as they can be read. SQLite's file format is described at sqlite.org/fileformat2.html. */
export function* cellsOf(version: PageVersion, pages: SalvagedPages): Generator<Cell, void> {
  const { page, content } = version;
  const start = page === 1 ? 100 : 0;
  const kind = content[start];
  if (kind !== pageKind.tableLeaf && kind !== pageKind.indexLeaf && kind !== pageKind.indexInterior) return;
  const headerBytes = kind === pageKind.indexInterior ? 12 : 8;
  const count = Math.min(content.readUInt16BE(start + 3), pageSize / 4);
  for (let cell = 0; cell < count; cell++) {
    const pointer = start + headerBytes + 2 * cell;
    if (pointer + 2 > pageSize) return;
    const found = tryReadCell(content, content.readUInt16BE(pointer), kind, pages);
    if (found !== undefined) yield found;
  }
}

function tryReadCell(content: Buffer, offset: number, kind: number, pages: SalvagedPages): Cell | undefined {
  try {
    const isTable = kind === pageKind.tableLeaf;
    const [length, afterLength] = readVarint(content, kind === pageKind.indexInterior ? offset + 4 : offset);
    const [rowid, at] = isTable ? readVarint(content, afterLength) : [undefined, afterLength];
    const payload = readPayload(content, at, length, isTable, pages);
    return payload && { rowid, columns: readRecord(payload) };
  } catch (error) {
    // A damaged cell.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Payload of a cell; undefined when it is not whole. A large one continues on pages of its own. */
function readPayload(
  content: Buffer,
  at: number,
  length: number,
  isTable: boolean,
  pages: SalvagedPages,
): Buffer | undefined {
  const local = localBytes(length, isTable);
  if (at + local > pageSize || length > pages.databasePages * pageSize + 2 ** 30) return undefined;
  const parts: Uint8Array[] = [Buffer.from(content.subarray(at, at + local))];
  let left = length - local;
  let next = left > 0 && at + local + 4 <= pageSize ? content.readUInt32BE(at + local) : 0;
  while (left > 0) {
    const overflow = pages.current(next)?.content;
    if (overflow === undefined) return undefined;
    const part = overflow.subarray(4, 4 + Math.min(left, pageSize - 4));
    parts.push(part);
    left -= part.length;
    next = overflow.readUInt32BE(0);
  }
  return Buffer.concat(parts, length);
}

/** Bytes of a payload that are in the page itself. */
function localBytes(length: number, isTable: boolean): number {
  const most = isTable ? pageSize - 35 : Math.floor(((pageSize - 12) * 64) / 255) - 23;
  if (length <= most) return length;
  const least = Math.floor(((pageSize - 12) * 32) / 255) - 23;
  const wanted = least + ((length - least) % (pageSize - 4));
  return wanted <= most ? wanted : least;
}
