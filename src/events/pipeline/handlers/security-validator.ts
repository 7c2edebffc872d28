import { z } from "zod";
import type { CloudEvent } from "../../../model/cloud-events/cloud-event.js";
import { withoutSecrets } from "../../../runtime/log/secrets.js";
import { EventRejected } from "../../event-rejected.js";
import type { HandlerFactory } from "../pipeline-handler.js";
import { readOptions, sizeOption } from "./read-options.js";

const name = "SecurityValidator";
const schema = z.strictObject({
  /** Largest event, in bytes as JSON. */
  maxSize: sizeOption.default(2 ** 20),
  /** Deepest nesting of its data. */
  maxDepth: z.number().int().min(1).max(1000).default(32),
  /** Replace secret values in the data. */
  hideSecrets: z.boolean().default(true),
});

/** Control characters other than tab, line feed and carriage return, which texts may have. */
// oxlint-disable-next-line no-control-regex
const controlInData = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/;
const controlInAttribute = /\p{Cc}/u;

/** Rejects events that are too large or nested too deeply or have control characters, and hides secret values in their data. */
export const securityValidator: HandlerFactory = (options) => {
  const { maxSize, maxDepth, hideSecrets } = readOptions(name, schema, options);
  return {
    name,
    handle(event) {
      const size = checkAttributes(event) + new DataCheck(maxSize, maxDepth).measure(event.data);
      if (size > maxSize) throw tooLarge(maxSize);
      if (!hideSecrets) return undefined;
      const data = withoutSecrets(event.data, maxDepth);
      return data === event.data ? undefined : { ...event, data };
    },
  };
};

function checkAttributes(event: CloudEvent): number {
  let size = 0;
  for (const [attribute, value] of Object.entries(event)) {
    if (attribute === "data") continue;
    if (typeof value === "string" && controlInAttribute.test(value)) {
      throw new EventRejected(`its ${attribute} has control characters`);
    }
    size += attribute.length + 6 + String(value).length;
  }
  return size;
}

function tooLarge(maxSize: number): EventRejected {
  return new EventRejected(`it has more than ${maxSize} bytes`);
}

/** Estimates the size of data as JSON, and ends as soon as a limit is exceeded. */
class DataCheck {
  readonly #maxSize: number;
  readonly #maxDepth: number;
  #size = 0;

  constructor(maxSize: number, maxDepth: number) {
    this.#maxSize = maxSize;
    this.#maxDepth = maxDepth;
  }

  measure(data: unknown): number {
    this.#visit(data, 1, "data");
    return this.#size;
  }

  #visit(value: unknown, depth: number, field: string): void {
    if (typeof value === "string") {
      this.#add(value);
      if (controlInData.test(value)) throw new EventRejected(`${field} has control characters`);
    } else if (ArrayBuffer.isView(value)) {
      this.#grow(value.byteLength);
    } else if (typeof value === "object" && value !== null) {
      if (depth > this.#maxDepth) {
        throw new EventRejected(`its data is nested more than ${this.#maxDepth} levels deep`);
      }
      this.#grow(2);
      for (const [key, item] of Object.entries(value)) {
        if (!Array.isArray(value)) this.#add(key);
        if (key === "__proto__") throw new EventRejected("its data has a field named __proto__");
        this.#visit(item, depth + 1, Array.isArray(value) ? field : `${field}.${key.slice(0, 40)}`);
      }
    } else this.#grow(8);
  }

  #add(text: string): void {
    // A string has at least as many bytes as characters: most are not encoded to know that they are too long.
    if (text.length > this.#maxSize) throw tooLarge(this.#maxSize);
    this.#grow(Buffer.byteLength(text) + 3);
  }

  #grow(bytes: number): void {
    this.#size += bytes;
    if (this.#size > this.#maxSize) throw tooLarge(this.#maxSize);
  }
}
