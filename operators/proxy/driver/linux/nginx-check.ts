import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { ProxyDriverError, type CheckResult } from "../driver.js";

/** Milliseconds for a check. A configuration with 10,000 hosts needs a few seconds. */
const checkTimeout = 120_000;
/** Folders of servers, which are not in every user's PATH. */
const serverFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** Path of a program by its name or path; undefined if it is not installed. */
export async function findProgram(program: string): Promise<string | undefined> {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter).filter(isAbsolute), ...serverFolders];
  const paths = program.includes("/") ? [program] : folders.map((folder) => join(folder, program));
  for (const path of paths) {
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

export interface NginxCheck {
  readonly program: string;
  /** Folder of the driver. */
  readonly root: string;
  /** Folder of the generation. */
  readonly folder: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Lets nginx load a configuration without serving it. A running nginx is not disturbed: `-t` leaves the content of its pid file
 * alone, and ignores ports and sockets that are in use.
 */
export async function checkWithNginx({ program, root, folder, signal }: NginxCheck): Promise<CheckResult> {
  const path = await findProgram(program);
  if (path === undefined) throw missingProgram(program);
  const words = ["-t", "-q", "-c", join(folder, "nginx.conf"), "-p", `${root}/`, "-g", "daemon off;"];
  const { failed, output } = await run(path, words, signal);
  if (!failed) return { ok: true };
  const result = parseCheck(output, { root, folder });
  if (result.message.includes("No space left on device"))
    throw new ProxyDriverError("DiskFull", `nginx could not check a configuration: ${result.message}`);
  return result;
}

function missingProgram(program: string): ProxyDriverError {
  const place = program.includes("/") ? "" : " in $PATH or /usr/sbin";
  return new ProxyDriverError(
    "ProgramMissing",
    `There is no program ${program}${place}: install nginx (on Debian: apt-get install nginx-light), or name it in spec.nginx of the ProxyClass`,
  );
}

function run(
  path: string,
  words: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ readonly failed: boolean; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const options = { timeout: checkTimeout, killSignal: "SIGKILL" as const, maxBuffer: 1_000_000, signal };
    execFile(path, words, options, (error, _stdout, stderr) => {
      if (error === null) resolve({ failed: false, output: stderr });
      else if (signal?.aborted === true) reject(signal.reason);
      else if (typeof error.code === "number") resolve({ failed: true, output: stderr });
      else {
        const problem =
          error.killed === true ? `it took longer than ${checkTimeout / 1000} s` : error.message;
        reject(
          new ProxyDriverError("Unreadable", `${path} could not check a configuration: ${problem}`, {
            cause: error,
          }),
        );
      }
    });
  });
}

/**
 * Result of a failed check by the output of nginx, whose first error is one of
 *
 *     nginx: [emerg] unknown directive "foo" in /…/generations/3/ports/80.conf:5
 *     2026/01/02 03:04:05 [emerg] 71#71: cannot load certificate "/…/generations/3/certificates/a.crt": …
 */
export function parseCheck(
  output: string,
  { root, folder }: { readonly root: string; readonly folder: string },
): Extract<CheckResult, { ok: false }> {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const line =
    lines.find((each) => /\[(emerg|alert|crit)\]/.test(each)) ?? lines[0] ?? "nginx gave no reason";
  const text = line.replace(/^.*?\[\w+\] (\d+#\d+: )?/, "").replaceAll(`${folder}/`, "");
  const [, before, path, number] = /^(.*) in ([^\s:]+):(\d+)$/.exec(text) ?? [];
  const [, quoted] = /"([^"]+\.(?:crt|key|conf))"/.exec(text) ?? [];
  // A path that is still absolute is not one of ours.
  const file = [path, quoted].find((each) => each !== undefined && !isAbsolute(each));
  const isInFile = path !== undefined && file === path;
  return {
    ok: false,
    message: (isInFile ? (before ?? text) : text).replaceAll(`${root}/`, "").trim(),
    file,
    line: isInFile ? Number(number) : undefined,
  };
}
