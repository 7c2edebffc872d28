import picocolors from "picocolors";
import type { Client, Where } from "../../client/client.js";
import { Event } from "../../client/kinds/kubernetes.js";
import { sleep, systemClock } from "../../model/core.js";
import { escapeText } from "../../model/diff/yaml-text.js";
import type { Log } from "../../runtime/log/log.js";
import type { Run } from "../../runtime/runs/run.js";
import { followFrom, type RunStore } from "../../runtime/runs/run-store.js";
import { RunLines, timeText, whatHappened } from "./run-line.js";

export interface Watched {
  readonly runs: RunStore;
  /** When this process was started, in milliseconds since 1970; earlier runs are not shown. */
  readonly since: number;
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** Tells people in a line each what controllers do and what they have to say, until the signal aborts. */
export function followForPeople(
  { runs, since, client, signal }: Watched,
  {
    colors,
    write,
    where = {},
  }: { readonly colors: boolean; readonly write: (text: string) => void; readonly where?: Where },
): void {
  const lines = new RunLines(colors);
  const paint = picocolors.createColors(colors);
  const tell = (run: Run): void => {
    const line = lines.line(run);
    if (line !== undefined) write(`${line}\n`);
  };
  // Some have ended while everything was being started.
  void followFrom(runs, { since }, signal, tell);
  void followEvents(client, where, signal, ({ object, type, reason, message, at }) => {
    // A run that failed is an event too; it has been told.
    if (lines.lastOf(object)?.includes(message) === true) return;
    const mark = type === "Warning" ? paint.yellow("!") : paint.cyan("»");
    write(
      `${timeText(at, paint)} ${mark} ${paint.bold(escapeText(object))}  ${escapeText(reason)}: ${escapeText(message)}\n`,
    );
  });
}

/** Writes runs that did something to a log, until the signal aborts. */
export function followForPrograms({ runs, since, signal }: Omit<Watched, "client">, log: Log): void {
  const tell = (run: Run): void => {
    const did = whatHappened(run);
    if (did.length === 0 && (run.outcome.type === "done" || run.outcome.type === "requeue")) return;
    const { id, controller, kind, key, outcome, duration, wait, failures, triggers } = run;
    const facts = { controller, object: `${kind} ${key}`, run: id, did, outcome, duration, wait, failures };
    log.info({ ...facts, triggers: triggers.map(({ type }) => type) }, "run");
  };
  void followFrom(runs, { since }, signal, tell);
}

interface Happened {
  /** `Site default/hello` */
  readonly object: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly at: number;
}

/** What controllers note from now on. A watch that ends is begun anew from where it was. */
async function followEvents(
  client: Client,
  where: Where,
  signal: AbortSignal,
  tell: (happened: Happened) => void,
): Promise<void> {
  let version: string | undefined;
  while (!signal.aborted) {
    try {
      version ??= (await client.list(Event, { ...where, limit: 1, signal })).resourceVersion;
      for await (const { type, object } of client.watch(Event, {
        ...where,
        resourceVersion: version,
        signal,
      })) {
        version = object.metadata.resourceVersion ?? version;
        if (type !== "ADDED" && type !== "MODIFIED") continue;
        const { kind = "", namespace, name = "" } = object.involvedObject;
        tell({
          object: `${kind} ${namespace ? `${namespace}/` : ""}${name}`,
          type: object.type ?? "Normal",
          reason: object.reason ?? "",
          message: object.message ?? "",
          at: systemClock.now(),
        });
      }
    } catch {
      // Nobody misses a line for people so much that they would want to read why.
      version = undefined;
      await sleep(systemClock, 1000, signal).catch(() => {});
    }
  }
}
