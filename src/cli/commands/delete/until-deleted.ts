import type { Client } from "../../../client/client.js";
import type { UntypedObject } from "../../../client/kinds/kind.js";
import { formatDuration } from "../../../model/core.js";
import type { Terminal } from "../../command/command.js";
import { untilObject } from "../../objects/until-object.js";
import type { Progress } from "../../terminal/progress.js";
import type { Deletion } from "./find-deletions.js";

export interface UntilDeletedOptions {
  readonly terminal: Terminal;
  readonly progress: Progress;
  /** Milliseconds; undefined for no limit. */
  readonly timeout: number | undefined;
  readonly onDeleted: (deletion: Deletion) => void;
}

/** Waits until objects are deleted; reports the finalizers of those that remain. */
export async function untilDeleted(
  client: Client,
  deletions: readonly Deletion[],
  { terminal, progress, timeout, onDeleted }: UntilDeletedOptions,
): Promise<"deleted" | "timeout" | "interrupted"> {
  const limit = timeout === undefined ? undefined : AbortSignal.timeout(timeout);
  const signal = limit === undefined ? terminal.signal : AbortSignal.any([terminal.signal, limit]);
  const left = new Map<Deletion, UntypedObject>(deletions.map((each) => [each, each.object]));
  const showProgress = (): void => {
    const [first] = left;
    if (first === undefined) return;
    const more = left.size > 1 ? ` and ${left.size - 1} more` : "";
    progress.show(`waiting for ${first[0].title}${more} to be deleted${finalizersText(first[1])}`);
  };
  showProgress();
  await Promise.all(
    deletions.map(async (each) => {
      const isDeleted = await untilObject(
        client,
        each,
        (object) => {
          if (object === undefined || object.metadata.uid !== each.object.metadata.uid) return true;
          left.set(each, object);
          showProgress();
          return false;
        },
        signal,
      );
      if (isDeleted) {
        left.delete(each);
        progress.clear();
        onDeleted(each);
      }
      showProgress();
    }),
  );
  progress.clear();
  if (left.size === 0) return "deleted";
  for (const [{ title }, object] of left) {
    terminal.stderr.write(`${title} is still being deleted${finalizersText(object)}\n`);
  }
  if (terminal.signal.aborted) {
    terminal.stderr.write("Stopped waiting; the deletion continues.\n");
    return "interrupted";
  }
  terminal.stderr.write(`fettle: timed out after ${formatDuration(timeout ?? 0)}; the deletion continues\n`);
  return "timeout";
}

function finalizersText({ metadata, ...object }: UntypedObject): string {
  const { finalizers: ofSpec = [] } = ((object as { spec?: unknown }).spec ?? {}) as {
    finalizers?: readonly string[];
  };
  const finalizers = [...(metadata.finalizers ?? []), ...ofSpec];
  return finalizers.length === 0 ? "" : `, waiting for finalizers ${finalizers.join(", ")}`;
}
