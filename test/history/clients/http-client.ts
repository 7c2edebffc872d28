import { Agent, request, type IncomingMessage } from "node:http";

/** Response with its body as text. */
export interface Answer {
  readonly code: number;
  readonly text: string;
}

/** The connection was lost: a write may have happened. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** Nothing was sent, because no server accepts connections. */
export class NotSent extends Error {
  override readonly name = "NotSent";
}

/** Place and credentials of the server. */
export interface Target {
  readonly url: string;
  readonly token: string;
}

export interface Request {
  readonly method?: string;
  readonly body?: object;
  readonly contentType?: string;
}

/** HTTP client with one connection, which never sends a request twice. */
export class HttpClient implements Disposable {
  readonly #target: Target;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(target: Target) {
    this.#target = target;
  }

  async ask(path: string, options: Request = {}): Promise<Answer> {
    const response = await this.open(path, options);
    let text = "";
    response.setEncoding("utf8");
    try {
      for await (const chunk of response) text += chunk as string;
    } catch (error) {
      throw new ConnectionLost(String(error));
    }
    if (!response.complete) throw new ConnectionLost("the response is incomplete");
    return { code: response.statusCode ?? 0, text };
  }

  /** Resolves with the response when its head has arrived. */
  open(
    path: string,
    { method = "GET", body, contentType = "application/json" }: Request = {},
  ): Promise<IncomingMessage> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers: Record<string, string> = { authorization: `Bearer ${this.#target.token}` };
    if (text !== undefined) {
      headers["content-type"] = contentType;
      // Node does not send the length of a DELETE's body by itself.
      headers["content-length"] = String(Buffer.byteLength(text));
    }
    return new Promise((resolve, reject) => {
      const outgoing = request(`${this.#target.url}${path}`, { method, headers, agent: this.#agent });
      outgoing.on("response", resolve);
      outgoing.on("error", (error: NodeJS.ErrnoException) => {
        reject(
          error.code === "ECONNREFUSED" ? new NotSent(error.message) : new ConnectionLost(String(error)),
        );
      });
      outgoing.end(text);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
