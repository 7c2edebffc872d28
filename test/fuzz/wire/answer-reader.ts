import type { Answer } from "./answer.js";

type Framing = { readonly kind: "length"; readonly length: number } | { readonly kind: "chunks" | "close" };

interface Head {
  readonly code: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly framing: Framing;
}

const empty = Buffer.alloc(0);

/** Parses one HTTP/1.1 response. */
export class AnswerReader {
  readonly #withoutBody: boolean;
  #bytes: Buffer = empty;
  #head: Head | undefined;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  /** `withoutBody`: the response to a HEAD. */
  constructor(withoutBody: boolean) {
    this.#withoutBody = withoutBody;
  }

  /** True for a chunked body, which may be endless. */
  get isStream(): boolean {
    return this.#head?.framing.kind === "chunks";
  }

  /** Size of the body so far. */
  get size(): number {
    return this.#size;
  }

  /** Adds bytes; returns the response once it is complete. */
  add(bytes: Buffer): Answer | undefined {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    while (this.#head === undefined) {
      const end = this.#bytes.indexOf("\r\n\r\n");
      if (end < 0) return undefined;
      const head = readHead(this.#bytes.subarray(0, end).toString("latin1"), this.#withoutBody);
      this.#bytes = this.#bytes.subarray(end + 4);
      // 100 Continue and other 1xx precede the response; 101 is the response itself.
      if (head.code >= 200 || head.code === 101) this.#head = head;
    }
    return this.#readBody(this.#head);
  }

  /** Response as far as it was received. */
  end(ending: Answer["ending"]): Answer {
    const whole = this.#head?.framing.kind === "close" ? "whole" : ending;
    return this.#answer(whole);
  }

  #readBody({ framing }: Head): Answer | undefined {
    if (framing.kind === "length") {
      this.#take(Math.min(framing.length - this.#size, this.#bytes.length));
      return this.#size >= framing.length ? this.#answer("whole") : undefined;
    }
    if (framing.kind === "close") {
      this.#take(this.#bytes.length);
      return undefined;
    }
    for (;;) {
      const line = this.#bytes.indexOf("\r\n");
      if (line < 0) return undefined;
      const length = Number.parseInt(this.#bytes.subarray(0, line).toString("latin1"), 16);
      if (this.#bytes.length < line + length + 4) return undefined;
      this.#bytes = this.#bytes.subarray(line + 2);
      this.#take(length);
      this.#bytes = this.#bytes.subarray(2);
      if (length === 0) return this.#answer("whole");
    }
  }

  #take(length: number): void {
    if (length <= 0) return;
    this.#chunks.push(this.#bytes.subarray(0, length));
    this.#bytes = this.#bytes.subarray(length);
    this.#size += length;
  }

  #answer(ending: Answer["ending"]): Answer {
    return {
      code: this.#head?.code ?? 0,
      headers: this.#head?.headers ?? new Map(),
      body: Buffer.concat(this.#chunks),
      ending,
    };
  }
}

function readHead(text: string, withoutBody: boolean): Head {
  const [status = "", ...lines] = text.split("\r\n");
  const code = Number(/^HTTP\/1\.[01] (\d{3})/.exec(status)?.[1] ?? 0);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    if (!headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  const length = headers.get("content-length");
  if (withoutBody || code === 204 || code === 304)
    return { code, headers, framing: { kind: "length", length: 0 } };
  if (headers.get("transfer-encoding") === "chunked") return { code, headers, framing: { kind: "chunks" } };
  if (length === undefined) return { code, headers, framing: { kind: "close" } };
  return { code, headers, framing: { kind: "length", length: Number(length) } };
}
