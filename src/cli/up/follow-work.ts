import picocolors from "picocolors";
import type { Client, Where } from "../../client/client.js";
import { Event } from "../../client/kinds/kubernetes.js";
import { sleep, systemClock } from "../../model/core.js";
import { escapeText } from "../../model/diff/yaml-text.js";
import type { Log } from "../../runtime/log/log.js";
import type { Run } from "../../runtime/runs/run.js";
import { followFrom, type RunStore } from "../../runtime/runs/run-store.js";
import { RunLines, timeText, effectsOf } from "./run-line.js";

export interface FollowedWork {
  readonly runs: RunStore;
  /** When this process was started, in milliseconds since 1970; earlier runs are not shown. */
  readonly since: number;
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** Prints a line for each run and event, until the signal aborts. */
export function followForPeople(
  { runs, since, client, signal }: FollowedWork,
  {
    colors,
    write,
    where = {},
  }: { readonly colors: boolean; readonly write: (text: string) => void; readonly where?: Where },
): void {
  const lines = new RunLines(colors);
  const paint = picocolors.createColors(colors);
  const print = (run: Run): void => {
    const line = lines.line(run);
    if (line !== undefined) write(`${line}\n`);
  };
  // Runs that ended during the start.
  const caughtUp = followFrom(runs, { since }, signal, print);
  void followEvents(client, where, signal, async ({ object, type, reason, message, at }) => {
    // The event of a failed run repeats the line of the run, which may still be read from the disk.
    await caughtUp;
    if (type === "Warning" && lines.hasOutcome(object, { reason, message })) return;
    const mark = type === "Warning" ? paint.yellow("!") : paint.cyan("»");
    write(
      `${timeText(at, paint)} ${mark} ${paint.bold(escapeText(object))}  ${escapeText(reason)}: ${escapeText(message)}\n`,
    );
  });
}

/** Logs runs with effects, until the signal aborts. The runtime itself logs failed runs. */
export function followForPrograms({ runs, since, signal }: Omit<FollowedWork, "client">, log: Log): void {
  const print = (run: Run): void => {
    const { type } = run.outcome;
    if (type === "fail" || type === "error") return;
    const did = effectsOf(run);
    if (did.length === 0 && (type === "done" || type === "requeue")) return;
    const { id, controller, kind, key, outcome, duration, wait, failures, triggers } = run;
    const facts = { controller, object: `${kind} ${key}`, run: id, did, outcome, duration, wait, failures };
    log.info({ ...facts, triggers: triggers.map(({ type }) => type) }, "run");
  };
  void followFrom(runs, { since }, signal, print);
}

interface RecordedEvent {
  /** `Site default/hello` */
  readonly object: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly at: number;
}

/** Follows new events; a watch that ends is reopened where it ended. */
async function followEvents(
  client: Client,
  where: Where,
  signal: AbortSignal,
  onEvent: (event: RecordedEvent) => Promise<void>,
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
        await onEvent({
          object: `${kind} ${namespace ? `${namespace}/` : ""}${name}`,
          type: object.type ?? "Normal",
          reason: object.reason ?? "",
          message: object.message ?? "",
          at: systemClock.now(),
        });
      }
    } catch {
      // Errors are ignored: these lines are only informative.
      version = undefined;
      await sleep(systemClock, 1000, signal).catch(() => {});
    }
  }
}
