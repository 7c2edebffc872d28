/** Value of a column in SQLite's record format. */
export type ColumnValue = number | string | Uint8Array | null;

/** Number of variable length at an offset, and the offset after it. */
export function readVarint(bytes: Uint8Array, offset: number): readonly [value: number, end: number] {
  let value = 0;
  for (let at = 0; at < 8; at++) {
    const byte = bytes[offset + at];
    if (byte === undefined) throw new RangeError("a number is cut off");
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, offset + at + 1];
  }
  // The ninth byte counts whole; our numbers are never that long.
  return [value * 256 + (bytes[offset + 8] ?? 0), offset + 9];
}

/**
 * Columns of a record.
 *
 * @throws {RangeError} when it is not one.
 */
export function readRecord(payload: Buffer): ColumnValue[] {
  let [headerEnd, at] = readVarint(payload, 0);
  if (headerEnd > payload.length) throw new RangeError("a header is cut off");
  const columns: ColumnValue[] = [];
  let offset = headerEnd;
  while (at < headerEnd) {
    const [type, end] = readVarint(payload, at);
    at = end;
    const length = lengthOf(type);
    if (offset + length > payload.length) throw new RangeError("a column is cut off");
    columns.push(readColumn(payload, offset, type, length));
    offset += length;
  }
  return columns;
}

const integerLengths = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function lengthOf(type: number): number {
  if (type >= 12) return Math.floor((type - 12) / 2);
  const length = integerLengths[type];
  if (length === undefined) throw new RangeError("a column of an unknown type");
  return length;
}

function readColumn(payload: Buffer, offset: number, type: number, length: number): ColumnValue {
  if (type === 0) return null;
  if (type === 7) return payload.readDoubleBE(offset);
  if (type === 8) return 0;
  if (type === 9) return 1;
  if (type < 6) return payload.readIntBE(offset, length);
  if (type === 6) return Number(payload.readBigInt64BE(offset));
  const bytes = payload.subarray(offset, offset + length);
  return type % 2 === 0 ? bytes : bytes.toString("utf8");
}
