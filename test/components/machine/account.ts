import { readFileSync } from "node:fs";

/** User of this machine to run a program as. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** True if this process may install packages and become another user. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * For programs that refuse to run as root: the first of these users that exists; undefined when this process is not
 * root.
 */
export function unprivileged(...names: readonly string[]): Account | undefined {
  if (!isRoot()) return undefined;
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of names) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid !== undefined && gid !== undefined) return { name, uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    `running as root, and this machine has no user ${names.join(" or ")} to run the program as`,
  );
}
