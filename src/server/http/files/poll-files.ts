import { statSync } from "node:fs";

export interface FilePollOptions {
  /** Milliseconds between checks for changes. */
  readonly interval: number;
  /** Reads the files again; what it throws goes to `onError`. */
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Calls back when one of the files changes, until the returned function is called. Polls, because mounted files are replaced
 * through a symbolic link of a parent folder, which file watchers miss. The callback runs once for each change, whether it
 * succeeds or not.
 */
export function pollFiles(
  paths: readonly string[],
  { interval, onChange, onError }: FilePollOptions,
): () => void {
  let seen = fingerprint(paths);
  const timer = setInterval(() => {
    // Taken before reading, so that a change in between is noticed.
    const now = fingerprint(paths);
    if (now === seen) return;
    seen = now;
    try {
      onChange();
    } catch (error) {
      onError(error);
    }
  }, interval);
  timer.unref();
  return () => clearInterval(timer);
}

/** Changes whenever a file does. */
function fingerprint(paths: readonly string[]): string {
  return paths
    .map((path) => {
      const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
      return stats === undefined ? "" : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
    })
    .join();
}
