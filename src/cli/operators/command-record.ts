import { createHash } from "node:crypto";
import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import type { Terminal } from "../command/command.js";

/** A command of an operator that was started with a data folder. */
export interface RecordedCommand {
  readonly operator: string;
  readonly name: string;
  readonly summary: string;
  /** Path of the module that exports the operator, or one that requires it. */
  readonly module: string;
}

// The record of a data folder is among the files of the user and not in that folder: a folder may come from somebody else, and must
// not make a command run code.

/** Path of the record of the commands that belong to a data folder. */
function recordPath(data: string, env: Terminal["env"]): string {
  const configured = env["XDG_STATE_HOME"];
  const state =
    configured !== undefined && isAbsolute(configured)
      ? configured
      : join(env["HOME"] || homedir(), ".local", "state");
  const hash = createHash("sha256").update(realPath(data)).digest("hex");
  return join(state, "fettle", "commands", `${hash}.json`);
}

/** Records the commands of the operators that were started with a data folder; without commands, removes the record. */
export async function writeRecord(
  data: string,
  commands: readonly RecordedCommand[],
  env: Terminal["env"],
): Promise<void> {
  const path = recordPath(data, env);
  if (commands.length === 0) {
    await rm(path, { force: true });
    return;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}`;
  try {
    const text = `${JSON.stringify({ data: realPath(data), commands }, undefined, 2)}\n`;
    await writeFile(temporary, text, { mode: 0o600, flag: "wx" });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Commands that were recorded for a data folder. None if the record is missing or malformed, or if other users may have written it.
 */
export function readRecord(data: string, env: Terminal["env"]): readonly RecordedCommand[] {
  const path = recordPath(data, env);
  try {
    if (!isTrusted(path)) return [];
    const record = JSON.parse(readFileSync(path, "utf8")) as { data?: unknown; commands?: unknown };
    if (record.data !== realPath(data) || !Array.isArray(record.commands)) return [];
    return record.commands.filter(isRecorded);
  } catch {
    return [];
  }
}

/** True for a file of this user, or of root, that nobody else may write. */
function isTrusted(path: string): boolean {
  const stat = lstatSync(path);
  const user = process.getuid?.();
  if (!stat.isFile() || user === undefined) return stat.isFile();
  return (stat.uid === user || stat.uid === 0) && (stat.mode & 0o022) === 0;
}

function isRecorded(value: unknown): value is RecordedCommand {
  const { operator, name, summary, module } = (value ?? {}) as Partial<Record<string, unknown>>;
  return (
    typeof operator === "string" &&
    typeof name === "string" &&
    /^[a-z][a-z0-9-]*$/.test(name) &&
    typeof summary === "string" &&
    typeof module === "string" &&
    isAbsolute(module)
  );
}

/** Path without symbolic links; of a folder that does not exist, the path itself. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
