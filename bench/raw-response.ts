const lineEnd = Buffer.from("\r\n");
const headEnd = Buffer.from("\r\n\r\n");
const lengthHeader = /^content-length: *(\d+)/im;
const chunkedHeader = /^transfer-encoding: *chunked/im;

/** State of a response; `refused` is one that is not a 2xx, or has neither a length nor chunks. */
export type Progress = "incomplete" | "complete" | "refused";

/** Finds the end of an HTTP/1.1 response, and reads each received byte at most once. */
export class RawResponse {
  /** Incomplete head, or incomplete line with the size of a chunk. */
  #line: Buffer | undefined;
  #state: "head" | "body" | "size" | "chunk" | "last chunk" = "head";
  /** Bytes still to be received of the body, or of a chunk and the line end after it. */
  #left = 0;

  take(bytes: Buffer): Progress {
    for (let at = 0; ;) {
      if (this.#state === "head" || this.#state === "size") {
        const mark = this.#state === "head" ? headEnd : lineEnd;
        const text =
          this.#line === undefined ? bytes.subarray(at) : Buffer.concat([this.#line, bytes.subarray(at)]);
        const end = text.indexOf(mark);
        if (end < 0) {
          this.#line = text;
          return "incomplete";
        }
        at += end + mark.length - (this.#line?.length ?? 0);
        this.#line = undefined;
        if (!this.#understand(text.toString("latin1", 0, end))) return "refused";
      }
      if (this.#state === "size") continue;
      const taken = Math.min(this.#left, bytes.length - at);
      this.#left -= taken;
      at += taken;
      if (this.#left > 0) return "incomplete";
      if (this.#state !== "chunk") return "complete";
      this.#state = "size";
    }
  }

  #understand(text: string): boolean {
    if (this.#state === "size") {
      const size = Number.parseInt(text, 16);
      this.#state = size === 0 ? "last chunk" : "chunk";
      this.#left = size + lineEnd.length;
      return !Number.isNaN(size);
    }
    const length = lengthHeader.exec(text)?.[1];
    this.#state = length === undefined ? "size" : "body";
    this.#left = Number(length ?? 0);
    return text.startsWith("HTTP/1.1 2") && (length !== undefined || chunkedHeader.test(text));
  }
}
