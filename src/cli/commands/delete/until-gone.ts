import type { Client } from "../../../client/client.js";
import type { UntypedObject } from "../../../client/kinds/kind.js";
import { formatDuration } from "../../../model/core.js";
import type { Terminal } from "../../command/command.js";
import { untilObject } from "../../objects/until-object.js";
import type { Progress } from "../../terminal/progress.js";
import type { Doomed } from "./doomed.js";

export interface GoneOptions {
  readonly terminal: Terminal;
  readonly progress: Progress;
  /** Milliseconds; without end unless given. */
  readonly timeout: number | undefined;
  readonly onGone: (doomed: Doomed) => void;
}

/** Waits until objects are gone; says what holds those that are not. */
export async function untilGone(
  client: Client,
  doomed: readonly Doomed[],
  { terminal, progress, timeout, onGone }: GoneOptions,
): Promise<"gone" | "timeout" | "interrupted"> {
  const limit = timeout === undefined ? undefined : AbortSignal.timeout(timeout);
  const signal = limit === undefined ? terminal.signal : AbortSignal.any([terminal.signal, limit]);
  const left = new Map<Doomed, UntypedObject>(doomed.map((each) => [each, each.object]));
  const say = (): void => {
    const [first] = left;
    if (first === undefined) return;
    const more = left.size > 1 ? ` and ${left.size - 1} more` : "";
    progress.show(`waiting for ${first[0].title}${more} to be deleted${whatHolds(first[1])}`);
  };
  say();
  await Promise.all(
    doomed.map(async (each) => {
      const isGone = await untilObject(
        client,
        each,
        (object) => {
          if (object === undefined || object.metadata.uid !== each.object.metadata.uid) return true;
          left.set(each, object);
          say();
          return false;
        },
        signal,
      );
      if (isGone) {
        left.delete(each);
        progress.clear();
        onGone(each);
      }
      say();
    }),
  );
  progress.clear();
  if (left.size === 0) return "gone";
  for (const [{ title }, object] of left) {
    terminal.stderr.write(`${title} is still being deleted${whatHolds(object)}\n`);
  }
  if (terminal.signal.aborted) {
    terminal.stderr.write("Stopped waiting; the deletion continues.\n");
    return "interrupted";
  }
  terminal.stderr.write(`fettle: timed out after ${formatDuration(timeout ?? 0)}; the deletion continues\n`);
  return "timeout";
}

function whatHolds({ metadata, ...object }: UntypedObject): string {
  const { finalizers: ofSpec = [] } = ((object as { spec?: unknown }).spec ?? {}) as {
    finalizers?: readonly string[];
  };
  const finalizers = [...(metadata.finalizers ?? []), ...ofSpec];
  return finalizers.length === 0 ? "" : `, waiting for finalizers ${finalizers.join(", ")}`;
}
