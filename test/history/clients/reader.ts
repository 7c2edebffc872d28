import type { Choices } from "../../fuzz/choices.js";
import type { ListOperation, Page, Register, Side } from "../history.js";
import { ConnectionLost, NotSent, type Answer, type HttpClient } from "./http-client.js";
import { registerOf, type Recording, type RegisterObject } from "./recording.js";
import { listPath, names, registersPath } from "./registers.js";

interface ListObject {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly RegisterObject[];
}

/** Client that reads at random, one request at a time. */
export class Reader {
  readonly name: string;
  readonly #http: HttpClient;
  readonly #recording: Recording;
  readonly #choices: Choices;

  constructor(name: string, http: HttpClient, recording: Recording, choices: Choices) {
    this.name = name;
    this.#http = http;
    this.#recording = recording;
    this.#choices = choices;
  }

  async turn(): Promise<void> {
    const choices = this.#choices;
    if (choices.once(3)) {
      await readRegister(this.#http, this.#recording, this.name, choices.pick(names));
      return;
    }
    const side = choices.once(2) ? undefined : choices.pick(["left", "right"] as const);
    const limit = choices.once(2) ? undefined : 1 + choices.below(4);
    await this.list({ side, limit, at: choices.once(2) ? undefined : this.#earlier() });
  }

  /** Reads a list, page by page if there is a limit. */
  async list({
    side,
    limit,
    at,
  }: Partial<Pick<ListOperation, "side" | "at">> & { limit?: number | undefined }): Promise<void> {
    const invoked = this.#recording.tick();
    const pages: Page[] = [];
    let token: string | undefined;
    do {
      const selector = side && `side=${side}`;
      const exactly =
        token === undefined && at ? { resourceVersion: at.revision, resourceVersionMatch: at.match } : {};
      const path = listPath({ labelSelector: selector, limit, continue: token, ...exactly });
      const answer = await this.#ask(path);
      if (answer === "future") {
        const returned = this.#recording.tick();
        this.#recording.add({
          type: "list",
          client: this.name,
          invoked,
          returned,
          side,
          at,
          pages: "future",
        });
      }
      if (answer === undefined || answer === "future") return;
      pages.push(pageOf(answer));
      token = answer.metadata.continue;
    } while (token !== undefined && token !== "");
    this.#recording.add({
      type: "list",
      client: this.name,
      invoked,
      returned: this.#recording.tick(),
      side,
      at,
      pages,
    });
  }

  async #ask(path: string): Promise<ListObject | "future" | undefined> {
    const answer = await tryAsk(this.#http, path);
    if (answer === undefined) return undefined;
    if (answer.code === 200) return JSON.parse(answer.text) as ListObject;
    if (isFuture(answer.text)) return "future";
    expectTransient(answer, [410]);
    return undefined;
  }

  #earlier(): ListOperation["at"] {
    const { revisions } = this.#recording;
    if (revisions.length === 0) return undefined;
    // Mostly recent ones, so that few have been compacted.
    const recent = this.#choices.once(10) ? revisions.length : Math.min(revisions.length, 300);
    const revision = revisions[revisions.length - 1 - this.#choices.below(recent)] ?? 0;
    return { revision, match: this.#choices.once(4) ? "NotOlderThan" : "Exact" };
  }
}

/** Reads a register; undefined if there is none, or if the read failed. */
export async function readRegister(
  http: HttpClient,
  recording: Recording,
  client: string,
  name: string,
): Promise<Register | undefined> {
  const invoked = recording.tick();
  const answer = await tryAsk(http, `${registersPath}/${name}`);
  if (answer === undefined) return undefined;
  const returned = recording.tick();
  if (answer.code === 200 || answer.code === 404) {
    const found = answer.code === 200 ? registerOf(JSON.parse(answer.text) as RegisterObject) : undefined;
    recording.add({ type: "get", client, invoked, returned, name, found });
    return found;
  }
  expectTransient(answer, []);
  return undefined;
}

/** Sends a read; undefined if the server did not respond. */
async function tryAsk(http: HttpClient, path: string): Promise<Answer | undefined> {
  try {
    return await http.ask(path);
  } catch (error) {
    if (error instanceof ConnectionLost || error instanceof NotSent) return undefined;
    throw error;
  }
}

/** Throws for a response that a correct request should not get. */
export function expectTransient({ code, text }: Answer, others: readonly number[]): void {
  if (code !== 429 && code < 500 && !others.includes(code))
    throw new Error(`a read was answered with ${code}: ${text}`);
}

/** True for the error about a revision that the server does not know. */
export function isFuture(text: string): boolean {
  return text.includes("ResourceVersionTooLarge");
}

export function pageOf({ metadata, items }: ListObject): Page {
  return { revision: Number(metadata.resourceVersion), items: items.map(registerOf) };
}

/** Query of a list or watch. */
export function selectorOf(side: Side | undefined): string | undefined {
  return side && `side=${side}`;
}
