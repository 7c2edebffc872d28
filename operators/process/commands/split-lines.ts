const lineFeed = 10;

/** Splits a stream of bytes into lines, without their line feeds. The last one may lack it. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  let pending: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      yield Buffer.concat([...pending, chunk.subarray(start, end)]);
      pending = [];
      start = end + 1;
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
  }
  if (pending.length > 0) yield Buffer.concat(pending);
}
