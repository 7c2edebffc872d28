import type { Segment, SegmentFiles } from "./segment-files.js";

/** Bytes read at a time; parsing that many takes about 2 ms, for which the event loop is held. */
const chunkSize = 256 * 1024;
const lineFeed = 0x0a;
const nothing = Buffer.alloc(0);

/**
 * Reads the lines of a segment that contain a text, the last line first, in chunks. A last line without a line feed is
 * skipped: a crash or a full disk has cut it off.
 */
export async function* linesBackward(
  files: Pick<SegmentFiles, "read">,
  { name, size }: Segment,
  text: string,
): AsyncGenerator<readonly string[], void, undefined> {
  const needle = Buffer.from(text);
  /** End of a line whose beginning has not been read yet. */
  let rest: Buffer = nothing;
  let isTorn = true;
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - chunkSize);
    let chunk: Buffer = await files.read(name, start, end);
    end = start;
    if (isTorn) {
      const complete = chunk.lastIndexOf(lineFeed) + 1;
      isTorn = complete === 0;
      chunk = chunk.subarray(0, complete);
    }
    if (rest.length > 0) chunk = Buffer.concat([chunk, rest]);
    // From here on the chunk is empty or ends with a line feed.
    const first = start === 0 ? 0 : chunk.indexOf(lineFeed) + 1;
    rest = chunk.subarray(0, first);
    yield linesWith(needle, chunk.subarray(first));
  }
}

/** Lines that contain the needle, the last one first. */
function linesWith(needle: Buffer, chunk: Buffer): readonly string[] {
  const lines: string[] = [];
  for (let end = chunk.length; end > 0;) {
    const found = chunk.lastIndexOf(needle, end - 1);
    if (found === -1) break;
    const start = found === 0 ? 0 : chunk.lastIndexOf(lineFeed, found - 1) + 1;
    const stop = chunk.indexOf(lineFeed, found);
    lines.push(chunk.toString("utf8", start, stop === -1 ? chunk.length : stop));
    end = start;
  }
  return lines;
}
