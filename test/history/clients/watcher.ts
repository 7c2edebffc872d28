import type { IncomingMessage } from "node:http";
import type { Choices } from "../../fuzz/choices.js";
import type { Side, WatchRecord, WatchStep } from "../history.js";
import { ConnectionLost, NotSent, type HttpClient } from "./http-client.js";
import { expectTransient, isFuture, pageOf, selectorOf } from "./reader.js";
import { registerOf, type Recording, type RegisterObject } from "./recording.js";
import { listPath } from "./registers.js";

interface WatchLine {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: RegisterObject & { readonly code?: number };
}

export interface WatcherOptions {
  readonly side?: Side;
  /** False for a watcher that disconnects only when the server does. */
  readonly disconnects: boolean;
  /** Revision to begin at, read by an exact list; default: the newest. */
  readonly from?: number;
}

/** Client that follows all changes, disconnects at random, and resumes from the last revision that it received. */
export class Watcher {
  readonly record: WatchRecord;
  readonly #http: HttpClient;
  readonly #recording: Recording;
  readonly #choices: Choices;
  readonly #options: WatcherOptions;
  readonly #steps: WatchStep[] = [];
  /** Revision to resume from; undefined if a list comes first. */
  #position: number | undefined;
  /** Set at the end, so that the watcher can catch up. */
  #isSteady = false;
  #response: IncomingMessage | undefined;

  constructor(
    client: string,
    http: HttpClient,
    recording: Recording,
    choices: Choices,
    options: WatcherOptions,
  ) {
    this.record = { client, side: options.side, steps: this.#steps };
    this.#http = http;
    this.#recording = recording;
    this.#choices = choices;
    this.#options = options;
  }

  /** Lists or watches once, until the stream ends. */
  async turn(): Promise<void> {
    const isRestless = this.#options.disconnects && !this.#isSteady;
    const position = isRestless && this.#choices.once(4) ? this.#earlier() : this.#position;
    try {
      if (this.#steps.length === 0) await this.#list(this.#options.from);
      else if (position === undefined) await this.#list(undefined);
      else if (position !== this.#position && this.#choices.once(2)) await this.#list(position);
      else await this.#watch(position);
    } catch (error) {
      if (!(error instanceof ConnectionLost || error instanceof NotSent)) throw error;
    }
  }

  /** Resolves when all events up to a revision have arrived. */
  async reaches(revision: number): Promise<void> {
    this.#isSteady = true;
    await this.#recording.until(() => (this.#position ?? 0) >= revision);
  }

  close(): void {
    this.#response?.destroy();
  }

  /** Revision that some client has received, to receive events again that came after it. */
  #earlier(): number | undefined {
    const { revisions } = this.#recording;
    return revisions.length === 0 ? this.#position : this.#choices.pick(revisions.slice(-200));
  }

  async #list(revision: number | undefined): Promise<void> {
    const exactly =
      revision === undefined ? {} : { resourceVersion: revision, resourceVersionMatch: "Exact" };
    const answer = await this.#http.ask(
      listPath({ labelSelector: selectorOf(this.#options.side), ...exactly }),
    );
    if (answer.code === 200) {
      const page = pageOf(JSON.parse(answer.text) as Parameters<typeof pageOf>[0]);
      this.#steps.push({ type: "listed", at: this.#recording.tick(), page });
      this.#position = page.revision;
      this.#recording.changed();
    } else if (isFuture(answer.text)) this.#steps.push({ type: "future", from: revision ?? 0 });
    else if (answer.code === 410) this.#expire();
    else expectTransient(answer, []);
  }

  async #watch(from: number): Promise<void> {
    // A watch that the server ends has a bookmark at its end.
    const isEndedByServer = this.#options.disconnects && this.#choices.once(8);
    const path = listPath({
      watch: "true",
      resourceVersion: from,
      allowWatchBookmarks: "true",
      labelSelector: selectorOf(this.#options.side),
      timeoutSeconds: isEndedByServer ? 1 : undefined,
    });
    const response = await this.#http.open(path);
    if (response.statusCode !== 200) {
      await this.#refused(response, from);
      return;
    }
    this.#steps.push({ type: "opened", from });
    this.#response = response;
    const most = this.#options.disconnects && !isEndedByServer ? this.#choices.below(25) : Infinity;
    let received = 0;
    let rest = "";
    response.setEncoding("utf8");
    try {
      for await (const chunk of response) {
        const lines = (rest + (chunk as string)).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          if (!this.#receive(JSON.parse(line) as WatchLine)) return;
          // Not after a whole chunk, so that it also resumes from between events that were sent together.
          if (++received > most && !this.#isSteady) return;
        }
        this.#recording.changed();
      }
    } catch (error) {
      throw new ConnectionLost(String(error));
    } finally {
      this.#response = undefined;
      response.destroy();
    }
  }

  /** Records an event; returns false if the stream has ended with an error. */
  #receive({ type, object }: WatchLine): boolean {
    const at = this.#recording.tick();
    if (type === "ERROR") {
      if (object.code !== 410) throw new Error(`a watch ended with ${JSON.stringify(object)}`);
      this.#expire();
      return false;
    }
    const revision = Number(object.metadata.resourceVersion);
    if (type === "BOOKMARK") this.#steps.push({ type: "bookmark", at, revision });
    else this.#steps.push({ type: "event", at, event: type, register: registerOf(object) });
    this.#position = revision;
    return true;
  }

  async #refused(response: IncomingMessage, from: number): Promise<void> {
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += chunk as string;
    if (response.statusCode === 410) this.#expire();
    else if (isFuture(text)) this.#steps.push({ type: "future", from });
    else expectTransient({ code: response.statusCode ?? 0, text }, []);
  }

  #expire(): void {
    this.#steps.push({ type: "expired" });
    this.#position = undefined;
  }
}
