import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Address } from "../wire/http1.js";

const program = fileURLToPath(new URL("./fuzzed-server.mjs", import.meta.url));

export interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
  /** Longest block of the event loop since the last call, in milliseconds. */
  readonly longest: number;
}

interface Message {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** Control plane in a process of its own, whose crash does not end the test. */
export class FuzzedServer implements AsyncDisposable {
  readonly address: Address;
  /** Output on standard error: every line is a fault. */
  complaints = "";
  /** Exit code or signal, once it has ended. */
  ended: string | undefined;
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #requests = 0;

  private constructor(child: ChildProcess, address: Address) {
    this.address = address;
    this.#child = child;
    this.#closed = once(child, "close");
    child.once("close", (code, signal) => (this.ended = `code ${code}, signal ${signal}`));
  }

  /** `idle`: without controllers, which would change objects. */
  static async start(
    data: string,
    transport: "plain" | "tls",
    work: "busy" | "idle" = "busy",
  ): Promise<FuzzedServer> {
    const child = fork(program, [data, transport, work], { execArgv: ["--expose-gc"], silent: true });
    let complaints = "";
    const complain = (text: string): void => void (complaints += text);
    child.stderr?.setEncoding("utf8").on("data", complain);
    const started = new Promise<Address>((resolve, reject) => {
      child.once("message", (message: Message) => resolve(message.value as Address));
      child.once("close", () => reject(new Error(`the server did not start:\n${complaints}`)));
    });
    const server = new FuzzedServer(child, await started);
    server.complaints = complaints;
    child.stderr?.off("data", complain).on("data", (text: string) => (server.complaints += text));
    return server;
  }

  memory(): Promise<Memory> {
    return this.#ask("memory") as Promise<Memory>;
  }

  /** Compacts all revisions but the newest. */
  async compact(): Promise<void> {
    await this.#ask("compact");
  }

  /** Stops its controllers; resolves when nothing is left to do. */
  async rest(): Promise<void> {
    await this.#ask("rest");
  }

  /** Stops the process and waits for its exit. */
  async stop(): Promise<void> {
    if (this.ended === undefined) this.#child.send({ id: ++this.#requests, ask: "end" });
    await this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#closed;
  }

  #ask(ask: string): Promise<unknown> {
    const id = ++this.#requests;
    return new Promise((resolve, reject) => {
      const answer = (message: Message): void => {
        if (message.id !== id) return;
        this.#child.off("message", answer);
        if (message.error === undefined) resolve(message.value);
        else reject(new Error(message.error));
      };
      this.#child.on("message", answer);
      void this.#closed.then(() => reject(new Error(`the server ended: ${this.ended}\n${this.complaints}`)));
      this.#child.send({ id, ask });
    });
  }
}
