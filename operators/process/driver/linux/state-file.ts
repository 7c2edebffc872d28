import { readFileSync } from "node:fs";
import type { ExitRecord, LaunchProblem, SignalName, StopReason } from "../driver.js";
import { errorCode, parseKey, type ProcessKey } from "./identity.js";

/**
 * Progress of an attempt, in this order: `new` was written by Fettle, `launching` has a child that may not have executed its program
 * yet, `ending` has an exit code, and `exited` is the end.
 */
type Phase = "new" | "launching" | "running" | "ending" | "exited";

/** Content of the file that a shim writes (`shim/state.pl`). */
export interface ShimState {
  readonly phase: Phase;
  readonly bootId: string;
  readonly shim?: ProcessKey | undefined;
  /** The main process. */
  readonly child?: ProcessKey | undefined;
  readonly startedAt?: number | undefined;
  /** Reason of the first request to stop. */
  readonly stopping?: StopReason | undefined;
  readonly notified: boolean;
  readonly tracking: "cgroup" | "subreaper" | "none";
  readonly limitProblems: readonly string[];
  /** Folders by controller. */
  readonly cgroups: ReadonlyMap<string, string>;
  readonly lostLines: { readonly count: number; readonly reason?: string | undefined };
  readonly exit?: ExitRecord | undefined;
}

const size = 4096;
const headerSize = 16;
/** Reads during a write fail the checksum, and the next one succeeds; more than this is a damaged file. */
const maxReads = 50;

/** Reads a state; undefined if the file does not exist or is damaged, which a crash of the machine can do. */
export function readState(path: string): ShimState | undefined {
  for (let reads = 0; reads < maxReads; reads++) {
    const bytes = readBytes(path);
    if (bytes === undefined) return undefined;
    const body = bytes.subarray(headerSize);
    const header = bytes.toString("latin1", 0, headerSize);
    if (bytes.length !== size || header !== headerOf(body)) continue;
    return parseState(body.toString("utf8", 0, endOf(body)));
  }
  return undefined;
}

/** Initial content, with the size that it will always have. */
export function encodeState(fields: Readonly<Record<string, string | number>>): Buffer {
  const body = Buffer.alloc(size - headerSize, "\n");
  const lines = Object.entries(fields).map(([key, value]) => `${key} ${encode(String(value))}\n`);
  body.write(`\n${lines.join("")}`);
  return Buffer.concat([Buffer.from(headerOf(body)), body]);
}

function readBytes(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

const padding = Buffer.alloc(size - headerSize, "\n");

/** End of the fields. Line feeds fill the rest, which is most of the body. */
function endOf(body: Buffer): number {
  const end = body.indexOf("\n\n", 1);
  return end < 0 ? body.length : end + 1;
}

/** Header with the sum of all 32-bit words. Returns an empty string, which is no header, if something follows the padding. */
function headerOf(body: Buffer): string {
  const end = Math.ceil(endOf(body) / 4) * 4;
  if (!body.subarray(end).equals(padding.subarray(end))) return "";
  let sum = ((body.length - end) / 4) * padding.readUInt32BE();
  for (let offset = 0; offset < end; offset += 4) sum += body.readUInt32BE(offset);
  return `fettle1 ${(sum >>> 0).toString(16).padStart(8, "0")}`;
}

/** At most 700 bytes, on one line. */
function encode(text: string): string {
  const short = text.length > 230 ? `${text.slice(0, 227)}...` : text;
  // oxlint-disable-next-line no-control-regex -- these are the characters that would break the format
  return short.replaceAll(/[\u0000-\u001f%\u007f]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  });
}

function decode(text: string): string {
  return text.replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function parseState(text: string): ShimState {
  const fields = new Map<string, string>();
  for (const line of text.split("\n")) {
    const space = line.indexOf(" ");
    if (space > 0) fields.set(line.slice(0, space), decode(line.slice(space + 1)));
  }
  const number = (key: string): number | undefined => {
    const value = fields.get(key);
    return value === undefined || value === "" ? undefined : Number(value);
  };
  return {
    phase: (fields.get("phase") ?? "new") as Phase,
    bootId: fields.get("boot") ?? "",
    shim: parseKey(fields.get("shim")),
    child: parseKey(fields.get("child")),
    startedAt: number("started"),
    stopping: fields.get("stopping") as StopReason | undefined,
    notified: fields.get("notified") === "1",
    tracking: (fields.get("tracking") ?? "none") as ShimState["tracking"],
    limitProblems: [...fields].filter(([key]) => /^limit\d+$/.test(key)).map(([, problem]) => problem),
    cgroups: new Map(
      (fields.get("cgroups") ?? "")
        .split(" ")
        .filter((entry) => entry !== "")
        .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
    ),
    lostLines: { count: number("lost") ?? 0, reason: fields.get("lostReason") },
    exit: parseExit(fields, number),
  };
}

function parseExit(
  fields: ReadonlyMap<string, string>,
  number: (key: string) => number | undefined,
): ExitRecord | undefined {
  const cause = fields.get("cause");
  if (cause === undefined) return undefined;
  return {
    cause: cause as ExitRecord["cause"],
    code: number("code"),
    signal: fields.get("signal") as SignalName | undefined,
    oomKilled: fields.get("oom") === "1",
    leftovers: number("leftovers") ?? 0,
    problem: fields.has("reason")
      ? {
          reason: fields.get("reason") as LaunchProblem["reason"],
          message: fields.get("message") ?? "",
        }
      : undefined,
    at: number("at") ?? 0,
  };
}
