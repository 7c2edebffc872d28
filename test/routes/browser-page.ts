import { once } from "node:events";
import { request } from "undici";
import { WebSocket } from "ws";
import { expect } from "vitest";

interface Response {
  readonly id?: number;
  readonly method?: string;
  readonly result?: {
    readonly result?: { readonly value?: unknown; readonly description?: string };
    readonly exceptionDetails?: { readonly text: string };
    readonly data?: string;
  };
  readonly params?: {
    readonly exceptionDetails?: { readonly text: string };
    readonly entry?: { readonly text: string };
  };
}

/** A page in a browser, over its DevTools protocol. */
export class BrowserPage implements AsyncDisposable {
  /** Errors of scripts, and violations of policies. */
  readonly errors: string[] = [];
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (response: Response) => void>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Response;
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
      if (message.method === "Runtime.exceptionThrown")
        this.errors.push(message.params?.exceptionDetails?.text ?? "");
      if (message.method === "Log.entryAdded") this.errors.push(message.params?.entry?.text ?? "");
    });
  }

  static async open(browser: string, url: string): Promise<BrowserPage> {
    const { body } = await request(`${browser}/json/new?${encodeURIComponent(url)}`, { method: "PUT" });
    const { webSocketDebuggerUrl } = (await body.json()) as { readonly webSocketDebuggerUrl: string };
    const socket = new WebSocket(webSocketDebuggerUrl);
    await once(socket, "open");
    const page = new BrowserPage(socket);
    for (const domain of ["Runtime", "Page"]) await page.#call(`${domain}.enable`);
    await page.until(`document.readyState === "complete" && location.href !== "about:blank"`);
    await page.#call("Log.enable");
    return page;
  }

  /** Evaluates an expression in the page. */
  async run(expression: string): Promise<unknown> {
    const { result } = await this.#call("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (result?.exceptionDetails !== undefined) {
      throw new Error(result.result?.description ?? result.exceptionDetails.text);
    }
    return result?.result?.value;
  }

  /** Waits until an expression is true in the page. */
  async until(condition: string): Promise<void> {
    await expect.poll(() => this.run(condition), { timeout: 10_000 }).toBe(true);
  }

  /** PNG of the page. */
  async screenshot(): Promise<Buffer> {
    const { result } = await this.#call("Page.captureScreenshot");
    return Buffer.from(result?.data ?? "", "base64");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#call("Page.close").catch(() => {});
    this.#socket.terminate();
  }

  #call(method: string, params: object = {}): Promise<Response> {
    const id = ++this.#last;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
