import { connect, type ClientHttp2Session, type OutgoingHttpHeaders } from "node:http2";
import { Hanging, nothing, patience, type Answer, type Attention } from "./answer.js";
import type { Address } from "./http1.js";

export interface Http2Request {
  readonly headers: OutgoingHttpHeaders;
  readonly body: Uint8Array | undefined;
  /** Part of a stream to read. Default: all of it. */
  readonly attention: Attention | undefined;
}

/** HTTP/2 client. Unlike with HTTP/1.1, it cannot send malformed frames. */
export class Http2 {
  readonly #address: Address;
  #session: ClientHttp2Session | undefined;

  constructor(address: Address) {
    this.#address = address;
  }

  /** Undefined when Node's client refuses to send the request. */
  send({ headers, body, attention }: Http2Request): Promise<Answer> | undefined {
    const session = this.#open();
    let stream: ReturnType<ClientHttp2Session["request"]>;
    try {
      stream = session.request(headers, { endStream: body === undefined });
    } catch {
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const found = new Map<string, string>();
      let code = 0;
      let size = 0;
      let quiet: NodeJS.Timeout | undefined;
      let timeout: NodeJS.Timeout | undefined;
      const finish = (ending: Answer["ending"]): void => {
        clearTimeout(watchdog);
        clearTimeout(quiet);
        clearTimeout(timeout);
        resolve(code === 0 ? nothing : { code, headers: found, body: Buffer.concat(chunks), ending });
        stream.close();
      };
      const listen = (): void => {
        clearTimeout(quiet);
        if (attention === undefined || found.has("content-length")) return;
        if (attention.quiet !== undefined) quiet = setTimeout(() => finish("watching"), attention.quiet);
        if (attention.longest !== undefined)
          timeout ??= setTimeout(() => finish("watching"), attention.longest);
        if (attention.bytes !== undefined && size >= attention.bytes) finish("watching");
      };
      const watchdog = setTimeout(() => {
        stream.close();
        reject(new Hanging(`no answer in ${patience / 1000} s`));
      }, patience);
      stream.on("response", (answered) => {
        code = answered[":status"] ?? 0;
        for (const [name, value] of Object.entries(answered)) found.set(name, String(value));
        listen();
      });
      stream.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        listen();
      });
      stream.on("end", () => finish("whole"));
      stream.on("close", () => finish("cut"));
      stream.on("error", () => {});
      if (body !== undefined) stream.end(body);
    });
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  #open(): ClientHttp2Session {
    const session = this.#session;
    if (session !== undefined && !session.destroyed && !session.closed) return session;
    const opened = connect(this.#address.url, { ca: this.#address.ca, servername: "localhost" });
    opened.on("error", () => {});
    opened.on("goaway", () => opened.close());
    this.#session = opened;
    return opened;
  }
}
