import { deepFreeze, fromStatus, type ApiError } from "../../../../model/core.js";
import { excerpt } from "../responses/failure.js";
import { readObject, type Reading } from "../responses/objects.js";
import { ConnectionError, type WatchEvent } from "../../transport.js";

/** Maximum length of a line; larger than any object that a store accepts. */
const largestEvent = 64 * 1024 * 1024;
const newline = 10;
const types: ReadonlySet<unknown> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]);

/** Events, and the error that ended the stream. */
export interface EventBatch {
  readonly events: readonly WatchEvent[];
  readonly failure?: ApiError | ConnectionError | undefined;
}

/**
 * Parses the events of a watch: newline-delimited JSON in chunks that may be cut anywhere.
 *
 * Decodes whole lines, so that a multi-byte character that was cut is complete. A newline byte occurs neither in a multi-byte
 * character nor in JSON.
 */
export class EventReader {
  readonly #reading: Reading;
  readonly #largest: number;
  /** Incomplete last line. */
  #parts: Buffer[] = [];
  #length = 0;

  constructor(reading: Reading, { largest = largestEvent }: { readonly largest?: number } = {}) {
    this.#reading = reading;
    this.#largest = largest;
  }

  /** Events that are complete after these chunks. Not to be called after an error. */
  read(chunks: readonly Buffer[]): EventBatch {
    const events: WatchEvent[] = [];
    for (const chunk of chunks) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        const failure = this.#add(events, this.#line(chunk.subarray(start, end)));
        if (failure !== undefined) return { events, failure };
        start = end + 1;
      }
      if (start < chunk.length) this.#keep(chunk.subarray(start));
      if (this.#length > this.#largest) return { events, failure: this.#tooLarge() };
    }
    return { events };
  }

  /** Events at the end of the stream: the last line may lack a newline. */
  end(): EventBatch {
    const events: WatchEvent[] = [];
    const failure = this.#add(events, this.#line(Buffer.alloc(0)));
    return { events, failure };
  }

  #keep(part: Buffer): void {
    this.#parts.push(part);
    this.#length += part.length;
  }

  #line(rest: Buffer): Buffer {
    if (this.#length === 0) return rest;
    const line = Buffer.concat([...this.#parts, rest]);
    this.#parts = [];
    this.#length = 0;
    return line;
  }

  #add(events: WatchEvent[], line: Buffer): EventBatch["failure"] {
    if (line.length > this.#largest) return this.#tooLarge();
    const text = line.toString();
    if (text.trim() === "") return undefined;
    let json: { type?: unknown; object?: unknown };
    try {
      json = JSON.parse(text) as typeof json;
    } catch (cause) {
      return this.#garbage(line, cause);
    }
    if (typeof json?.object !== "object" || json.object === null) return this.#garbage(line);
    if (json.type === "ERROR") return fromStatus(json.object);
    if (!types.has(json.type)) return this.#garbage(line);
    const object = readObject(json.object as Record<string, unknown>, this.#reading);
    events.push(deepFreeze({ type: json.type as WatchEvent["type"], object }));
    return undefined;
  }

  #garbage(line: Buffer, cause?: unknown): ConnectionError {
    const what = `the watch of ${this.#reading.kind.plural} was cut off in the middle of an event, or is none: ${excerpt(line)}`;
    return new ConnectionError(what, { cause });
  }

  #tooLarge(): ConnectionError {
    this.#parts = [];
    this.#length = 0;
    return new ConnectionError(
      `the watch of ${this.#reading.kind.plural} has sent an event of more than ${this.#largest} bytes`,
    );
  }
}
