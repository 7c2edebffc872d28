import { Administrator } from "./administrator.js";
import { Choices } from "./choices.js";
import { reasonOf, type Coverage } from "./coverage.js";
import { takeInventory } from "./inventory.js";
import { sendBurst, stillAnswers } from "./burst.js";
import { faultOf } from "./oracle.js";
import type { Burst } from "./requests/burst.js";
import { readCatalog, type Catalog } from "./requests/catalog.js";
import type { FuzzRequest } from "./requests/draft.js";
import { episodeLength, generate } from "./requests/generate.js";
import { written } from "./requests/written.js";
import { FuzzedServer, type Memory } from "./server/fuzzed-server.js";
import { Session } from "./session.js";
import { Hanging, type Answer } from "./wire/answer.js";

export interface FuzzOptions {
  readonly seed: number;
  /** Data folder of the server; existing data is read. */
  readonly data: string;
  readonly transport: "plain" | "tls";
  /** Number of the first request. */
  readonly first: number;
  /** Number of requests. */
  readonly count: number;
  readonly progress?: (sent: number) => unknown;
}

/** Violation found by the fuzzer. */
interface Fault {
  readonly index: number;
  readonly what: string;
  readonly request: string;
}

export interface FuzzReport {
  readonly faults: readonly Fault[];
  readonly warm: Memory;
  readonly end: Memory;
  /** Output of the server on standard error. */
  readonly complaints: string;
  /** Stored objects at the end, one per line. */
  readonly inventory: readonly string[];
  /** Stored objects after the next start. */
  readonly reopened: readonly string[];
}

/** Stands for bytes that are not a request. */
const talk = { family: "raw", verb: "conversation", method: "GET", target: "", lies: true };

const workers = 8;
/** Number of faults after which a run stops. */
const mostFaults = 25;

/** Starts a server, sends it requests, and checks its responses, its data and its memory. */
export async function fuzz(options: FuzzOptions, coverage: Coverage): Promise<FuzzReport> {
  const { data, transport, first, count } = options;
  const faults: Fault[] = [];
  let report: Omit<FuzzReport, "reopened">;
  {
    await using server = await FuzzedServer.start(data, transport);
    const admin = new Administrator(server.address);
    await admin.prepare();
    const catalog = await readCatalog((path) => admin.readJson(path));
    const run = new Run(options, { server, catalog, coverage, faults });
    await run.send(first, count / 2);
    const warm = await server.memory();
    await run.send(first + count / 2, count / 2);
    const end = await server.memory();
    await server.rest();
    const inventory = await takeInventory(admin);
    admin.close();
    await server.stop();
    report = { faults, warm, end, inventory, complaints: server.complaints };
  }
  await using server = await FuzzedServer.start(data, transport, "idle");
  const admin = new Administrator(server.address);
  await server.rest();
  const reopened = await takeInventory(admin);
  admin.close();
  await server.stop();
  return { ...report, reopened, complaints: report.complaints + server.complaints };
}

interface Parts {
  readonly server: FuzzedServer;
  readonly catalog: Catalog;
  readonly coverage: Coverage;
  readonly faults: Fault[];
}

class Run {
  readonly #options: FuzzOptions;
  readonly #parts: Parts;
  readonly #inFlight = new Map<number, string>();
  #sent = 0;

  constructor(options: FuzzOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** Sends requests; each episode is sent by one worker. */
  async send(first: number, count: number): Promise<void> {
    const end = first + count;
    let next = first;
    const work = async (): Promise<void> => {
      while (next < end && this.#parts.faults.length < mostFaults) {
        const from = next;
        next += episodeLength;
        await this.#sendEpisode(from, Math.min(next, end));
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
    const { ended, complaints } = this.#parts.server;
    if (ended !== undefined) {
      const open = [...this.#inFlight.values()].join("\n");
      throw new Error(`the server died (${ended}) of one of these:\n${open}\n${complaints}`);
    }
  }

  async #sendEpisode(first: number, end: number): Promise<void> {
    const { server } = this.#parts;
    const session = new Session(server.address);
    try {
      for (let index = first; index < end && server.ended === undefined; index++) {
        await this.#sendOne(session, index);
        this.#options.progress?.(++this.#sent);
      }
    } finally {
      session.close();
    }
  }

  async #sendOne(session: Session, index: number): Promise<void> {
    const { catalog, server } = this.#parts;
    const { seed } = this.#options;
    const generated = generate(catalog, seed, index);
    switch (generated.kind) {
      case "request": {
        const request = session.complete(generated.request);
        const overHttp2 = new Choices(seed, index, 2).once(2);
        await this.#exchange(index, request, describe(request), () => session.send(request, overHttp2));
        return;
      }
      case "raw": {
        const { conversation } = generated;
        const send = (): Promise<Answer> => session.converse(conversation);
        await this.#exchange(index, talk, `raw: ${conversation.name}`, send);
        return;
      }
      case "burst":
        await this.#sendBurst(index, generated.burst);
        return;
      case "compact":
        await server.compact();
    }
  }

  async #sendBurst(index: number, { draft, held, ...burst }: Burst): Promise<void> {
    const { address } = this.#parts.server;
    const request = { ...written(draft), lies: held === "answer" };
    const sent = sendBurst(address, request, held, burst.count);
    await Promise.all(
      sent.map((answer) => this.#exchange(index, request, `burst: ${burst.name}`, () => answer)),
    );
    if (!(await stillAnswers(address)))
      this.#blame(index, "nothing but refusals", `after a burst: ${burst.name}`);
  }

  async #exchange(
    index: number,
    request: Pick<FuzzRequest, "family" | "verb" | "method" | "target" | "lies">,
    shown: string,
    send: () => Promise<Answer>,
  ): Promise<void> {
    this.#inFlight.set(index, `${index}: ${shown}`);
    let answer: Answer;
    try {
      answer = await send();
    } catch (error) {
      if (!(error instanceof Hanging)) throw error;
      this.#blame(index, error.message, shown);
      return;
    }
    // It crashed on this request or on another pending one; all of them stay listed.
    if (answer.code === 0 && (await hasEnded(this.#parts.server))) return;
    this.#inFlight.delete(index);
    const reason = reasonOf(answer.code, answer.body);
    this.#parts.coverage.add(request.family, request.verb, answer.code, reason);
    const fault = faultOf(request, answer);
    if (fault !== undefined) this.#blame(index, fault, shown);
  }

  #blame(index: number, what: string, request: string): void {
    this.#parts.faults.push({ index, what, request });
  }
}

/** A connection may close before the exit of its process is known. */
async function hasEnded(server: FuzzedServer): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return server.ended !== undefined;
}

/** Request as text, with long bodies truncated. */
function describe({ method, target, headers, body, broken }: FuzzRequest): string {
  const fields = headers.map(([name, value]) => `${name}: ${shorten(value)}`).join("; ");
  const text =
    body === undefined ? "" : `\n    ${shorten(JSON.stringify(Buffer.from(body).toString()), 4000)}`;
  return `${method} ${shorten(target, 1000)} [${broken.join(", ")}]\n    ${fields}${text}`;
}

function shorten(text: string, most = 200): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length})`;
}
