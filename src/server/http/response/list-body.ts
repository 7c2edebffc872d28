import type { ListResponse } from "../../registry/requests.js";
import { apiVersionOf, type ResourceType } from "../../resources/resource-type.js";
import { renderListMeta } from "../../output-formats/partial-metadata.js";

/** Size of a chunk in bytes; a larger object makes a larger chunk. */
const chunkSize = 256 * 1024;

const comma = 0x2c;
const end = Buffer.from("]}\n");

/** Encoded list, concatenated from the stored bytes of its objects. */
export interface ListBody {
  readonly size: number;
  readonly chunks: Iterable<Buffer>;
}

export function listBody(type: ResourceType, list: ListResponse): ListBody {
  const { items } = list;
  const start = JSON.stringify({
    kind: type.listKind,
    apiVersion: apiVersionOf(type),
    metadata: renderListMeta(list),
  });
  const head = Buffer.from(`${start.slice(0, -1)},"items":[`);
  let size = head.length + Math.max(0, items.length - 1) + end.length;
  for (const item of items) size += item.size;
  return { size, chunks: concat(head, list, size) };
}

function* concat(head: Buffer, { items }: ListResponse, size: number): Generator<Buffer> {
  let remaining = size - head.length;
  let chunk = Buffer.allocUnsafe(Math.min(size, Math.max(chunkSize, head.length)));
  let offset = head.copy(chunk);
  let first = true;
  for (const item of items) {
    // Includes the comma before the item, and the end in case it is the last.
    const needed = item.size + (first ? 0 : 1) + end.length;
    if (offset + needed > chunk.length && offset > 0) {
      yield chunk.subarray(0, offset);
      chunk = Buffer.allocUnsafe(Math.min(remaining, Math.max(chunkSize, needed)));
      offset = 0;
    }
    const before = offset;
    if (first) first = false;
    else chunk[offset++] = comma;
    offset = item.writeTo(chunk, offset);
    remaining -= offset - before;
  }
  if (offset + end.length > chunk.length) {
    yield chunk.subarray(0, offset);
    chunk = Buffer.allocUnsafe(end.length);
    offset = 0;
  }
  offset += end.copy(chunk, offset);
  yield chunk.subarray(0, offset);
}
