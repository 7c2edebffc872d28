import { onAbort } from "../../client/async/on-abort.js";
import type { Terminal } from "../command/command.js";

/** Writes to stdout. Waits while its reader is slower, until the terminal's signal aborts. */
export async function writeOut(
  { stdout, signal }: Pick<Terminal, "stdout" | "signal">,
  chunk: string | Uint8Array,
): Promise<void> {
  if (stdout.write(chunk) !== false || stdout.once === undefined || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const cancel = onAbort(signal, resolve);
    stdout.once?.("drain", () => {
      cancel();
      resolve();
    });
  });
}
