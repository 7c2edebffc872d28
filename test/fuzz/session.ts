import { placeholders, type FuzzRequest } from "./requests/draft.js";
import type { RawConversation } from "./requests/raw.js";
import { glance, type Answer, type Attention } from "./wire/answer.js";
import { Http1, type Address, type Piece } from "./wire/http1.js";
import { Http2 } from "./wire/http2.js";

const { version, first, uid, continue: further, run } = placeholders;
const learned: readonly (readonly [string, RegExp])[] = [
  [version, /"resourceVersion":\s*"(\d+)"/],
  [first, /"resourceVersion":\s*"(\d+)"/],
  [uid, /"uid":\s*"([\w-]+)"/],
  [further, /"continue":\s*"([\w=-]+)"/],
  [run, /"runs":\[\{"id":"([\w-]+)"/],
];

/** Client that sends requests one after the other, and uses values of earlier responses in them. */
export class Session {
  readonly #address: Address;
  readonly #http1: Http1;
  readonly #http2: Http2 | undefined;
  readonly #known = new Map<string, string>();

  constructor(address: Address) {
    this.#address = address;
    this.#http1 = new Http1(address);
    this.#http2 = address.ca === undefined ? undefined : new Http2(address);
  }

  /** Fills in the placeholders of a request. */
  complete(request: FuzzRequest): FuzzRequest {
    const { token, url } = this.#address;
    const has = (name: string): boolean => request.headers.some(([each]) => each === name);
    const body = request.body === undefined ? undefined : this.#fillBytes(request.body);
    const headers = request.headers.map(([name, value]): [string, string] => [name, this.#fillText(value)]);
    if (!has("host")) headers.unshift(["host", new URL(url).host]);
    if (!has("authorization")) headers.push(["authorization", `Bearer ${token}`]);
    if (body !== undefined && !has("content-length") && !has("transfer-encoding")) {
      headers.push(["content-length", String(body.length)]);
    }
    return { ...request, target: this.#fillText(request.target), headers, body };
  }

  /** Sends a request without placeholders. */
  async send(request: FuzzRequest, overHttp2: boolean): Promise<Answer> {
    const { method, target, lies, waits } = request;
    const attention = /watch|follow/.test(unescaped(target)) ? (request.attention ?? glance) : undefined;
    const heard = overHttp2 && !lies ? await this.#sendHttp2(request, attention) : undefined;
    // Malformed HTTP/2 streams are reset before anything can respond.
    const answer =
      heard !== undefined && heard.code !== 0
        ? heard
        : await this.#http1.send({
            pieces: [messageOf(request), ...(lies && !waits ? ["end"] : [])],
            withoutBody: method === "HEAD",
            attention,
            reusable: !lies,
          });
    this.#learn(answer);
    return answer;
  }

  converse({ pieces, http2 }: RawConversation): Promise<Answer> {
    const { token, url } = this.#address;
    const fill = (piece: Piece): Piece =>
      typeof piece === "string"
        ? piece.replaceAll("@token@", token).replaceAll("@host@", new URL(url).host)
        : piece;
    return this.#http1.send({ pieces: pieces.map(fill), attention: glance, http2 });
  }

  close(): void {
    this.#http1.close();
    this.#http2?.close();
  }

  #sendHttp2(
    { method, target, headers, body }: FuzzRequest,
    attention: Attention | undefined,
  ): Promise<Answer> | undefined {
    const sent: Record<string, string> = { ":method": method, ":path": target };
    for (const [name, value] of headers) sent[name === "host" ? ":authority" : name] = value;
    return this.#http2?.send({ headers: sent, body, attention });
  }

  #learn({ body }: Answer): void {
    const text = body.subarray(0, 5000).toString();
    for (const [name, pattern] of learned) {
      const found = pattern.exec(text)?.[1];
      if (found !== undefined && (name !== first || !this.#known.has(first))) this.#known.set(name, found);
    }
  }

  #fillText(text: string): string {
    let filled = text;
    for (const [name] of learned) filled = filled.replaceAll(name, this.#known.get(name) ?? "1");
    return filled;
  }

  #fillBytes(bytes: Uint8Array): Uint8Array {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (!learned.some(([name]) => buffer.includes(name))) return bytes;
    return Buffer.from(this.#fillText(buffer.toString("latin1")), "latin1");
  }
}

/** Target without percent-encoding, which the server accepts anywhere. */
function unescaped(target: string): string {
  return target.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Bytes of a message: non-ASCII characters are UTF-8 in the first line, and latin1 in headers. */
export function messageOf({
  method,
  target,
  headers,
  body,
}: Pick<FuzzRequest, "method" | "target" | "headers" | "body">): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n`),
    Buffer.from(`${lines}\r\n`, "latin1"),
    body ?? Buffer.alloc(0),
  ]);
}
