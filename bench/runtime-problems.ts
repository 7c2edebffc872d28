import type { Log } from "fettle/runtime";

/** Log that collects warnings and errors: figures of failed runs would be misleading. */
export function problemLog(): { readonly log: Log; check(where: string): void } {
  const problems: string[] = [];
  const note = (fields: object, text: string): void => {
    const { err, reason } = fields as { readonly err?: unknown; readonly reason?: unknown };
    problems.push(
      [text, reason, err]
        .filter((part) => part !== undefined)
        .map(String)
        .join(": "),
    );
  };
  const log: Log = {
    debug() {},
    info() {},
    warn: note,
    error: note,
    child: () => log,
    isLevelEnabled: (level) => level === "warn" || level === "error",
  };
  return {
    log,
    check(where) {
      if (problems.length === 0) return;
      // On stdout, among the results.
      console.log(`  ${where}: ${problems.length} problems, such as: ${problems[0]}`);
    },
  };
}
