import { open, stat, truncate } from "node:fs/promises";
import { ifExists } from "./durable-files.js";

/** Size above which the log is emptied; it is there for the driver, people read standard error. */
const maxSize = 8 * 1024 * 1024;
/** Bytes at the end of the log in which messages are looked for. */
const window = 256 * 1024;
const maxMessages = 3;

/** Message of nginx about a failure. */
export interface NginxMessage {
  /** `emerg`: a configuration could not be loaded. `alert`: something else is wrong, such as a worker that was killed. */
  readonly level: "emerg" | "alert";
  readonly pid: number;
  readonly text: string;
}

/** Log of nginx with the reasons of failed reloads. nginx appends to it, so that it can be emptied at any time. */
export class ErrorLog {
  readonly #path: string;
  #start = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Forgets all messages before this one. */
  async mark(): Promise<void> {
    this.#start = await this.#size();
  }

  /** Messages since the mark that say why something failed, oldest first. */
  async messages(): Promise<readonly NginxMessage[]> {
    const size = await this.#size();
    const from = Math.max(size - window, size < this.#start ? 0 : this.#start);
    const file = await ifExists(open(this.#path, "r"));
    if (file === undefined) return [];
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
      return parseErrors(buffer.toString("utf8", 0, bytesRead));
    } finally {
      await file.close();
    }
  }

  /** Empties the log if it is too large. */
  async limit(): Promise<void> {
    if ((await this.#size()) <= maxSize) return;
    await ifExists(truncate(this.#path));
    this.#start = 0;
  }

  async #size(): Promise<number> {
    return (await ifExists(stat(this.#path)))?.size ?? 0;
  }
}

function parseErrors(text: string): NginxMessage[] {
  return text.split("\n").flatMap((line) => {
    const [, level, pid, message] = /^\S+ \S+ \[(emerg|alert)\] (\d+)#\d+: (.*)$/.exec(line) ?? [];
    if (message === undefined) return [];
    return [{ level: level === "emerg" ? level : "alert", pid: Number(pid), text: message }];
  });
}

/**
 * True if nginx gives up loading a configuration with this message. It tries several times to bind a port, and goes on if the file of
 * a socket that it has closed was deleted before.
 */
export function isFinal({ level, text }: NginxMessage): boolean {
  return level === "emerg" && !text.startsWith("bind() to ") && !text.startsWith("unlink() ");
}

/** The newest messages as one text, each once; empty if there are none. */
export function summarize(messages: readonly NginxMessage[]): string {
  const worst = messages.some(({ level }) => level === "emerg") ? "emerg" : "alert";
  const texts = [...new Set(messages.filter(({ level }) => level === worst).map(({ text }) => text))];
  // This one follows the messages that say what could not be bound.
  const reasons = texts.filter((text) => text !== "still could not bind()");
  return (reasons.length === 0 ? texts : reasons).slice(-maxMessages).join("; ");
}
