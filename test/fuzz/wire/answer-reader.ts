import type { Answer } from "./answer.js";

type Framing = { readonly kind: "length"; readonly length: number } | { readonly kind: "chunks" | "close" };

interface Head {
  readonly code: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly framing: Framing;
}

const empty = Buffer.alloc(0);

/** Puts together one HTTP/1.1 answer from the bytes of a connection. */
export class AnswerReader {
  readonly #withoutBody: boolean;
  #bytes: Buffer = empty;
  #head: Head | undefined;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  /** `withoutBody`: it answers a HEAD. */
  constructor(withoutBody: boolean) {
    this.#withoutBody = withoutBody;
  }

  /** Whether it is a body that comes in pieces, of which there may be no end. */
  get isStream(): boolean {
    return this.#head?.framing.kind === "chunks";
  }

  /** How much of the body there is. */
  get size(): number {
    return this.#size;
  }

  /** Takes more bytes; the answer when that was the last of it. */
  add(bytes: Buffer): Answer | undefined {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    while (this.#head === undefined) {
      const end = this.#bytes.indexOf("\r\n\r\n");
      if (end < 0) return undefined;
      const head = readHead(this.#bytes.subarray(0, end).toString("latin1"), this.#withoutBody);
      this.#bytes = this.#bytes.subarray(end + 4);
      // 100 Continue and its like come before the answer; 101 is one.
      if (head.code >= 200 || head.code === 101) this.#head = head;
    }
    return this.#readBody(this.#head);
  }

  /** What there is when nothing more will come. */
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
