import { connect, type ClientHttp2Session, type OutgoingHttpHeaders } from "node:http2";
import { Hanging, nothing, patience, type Answer } from "./answer.js";
import type { Address } from "./http1.js";

const listening = 25;

export interface Http2Request {
  readonly headers: OutgoingHttpHeaders;
  readonly body: Uint8Array | undefined;
  readonly mayWatch: boolean;
}

/** Speaks HTTP/2. Unlike with HTTP/1.1, what is no HTTP/2 at all cannot be sent. */
export class Http2 {
  readonly #address: Address;
  #session: ClientHttp2Session | undefined;

  constructor(address: Address) {
    this.#address = address;
  }

  /** Undefined when this client refuses to send such a thing. */
  send({ headers, body, mayWatch }: Http2Request): Promise<Answer> | undefined {
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
      let quiet: NodeJS.Timeout | undefined;
      const finish = (ending: Answer["ending"]): void => {
        clearTimeout(watchdog);
        clearTimeout(quiet);
        resolve(code === 0 ? nothing : { code, headers: found, body: Buffer.concat(chunks), ending });
        stream.close();
      };
      const listen = (): void => {
        clearTimeout(quiet);
        if (mayWatch && !found.has("content-length")) quiet = setTimeout(() => finish("watching"), listening);
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
