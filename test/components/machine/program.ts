import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isRoot } from "./account.js";
import { install } from "./debian.js";

/** Program that tests need, and its source. */
export interface Program {
  /** Name in a shell. */
  readonly name: string;
  /** Debian package; without one it is never installed. */
  readonly package?: string;
  /** Folders to search besides the PATH, in order. */
  readonly folders?: () => readonly string[];
  /** Builds a specific version that no package has; resolves with its path. */
  readonly build?: () => Promise<string>;
}

/** A program that is not installed and cannot be; the message has a hint. */
export class Unavailable extends Error {
  override readonly name: string = "Unavailable";
}

/** A program that needs a missing toolchain of another language, which is optional. */
export class MissingToolchain extends Unavailable {
  override readonly name = "MissingToolchain";
}

/** Properties of a machine that decide whether a program can be installed. */
export interface Machine {
  readonly root: boolean;
  readonly debian: boolean;
}

/** This machine. */
export function thisMachine(): Machine {
  return { root: isRoot(), debian: existsSync("/etc/debian_version") && existsSync("/usr/bin/apt-get") };
}

/** Folders of servers, which are not on every user's PATH. */
const serverFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** Path of a program; undefined when it is not installed. */
export function find({ name, folders }: Program): string | undefined {
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of [...path, ...(folders?.() ?? []), ...serverFolders]) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

const obtained = new Map<string, Promise<string>>();

/**
 * Path of a program, which is installed if necessary and possible. Rejects with {@link Unavailable}. Repeated calls try
 * once.
 */
export function obtain(program: Program): Promise<string> {
  const existing = obtained.get(program.name);
  if (existing !== undefined) return existing;
  const path = findOrInstall(program, thisMachine());
  obtained.set(program.name, path);
  path.catch(() => {}); // The rejection may have no other handler.
  return path;
}

async function findOrInstall(program: Program, machine: Machine): Promise<string> {
  if (program.build !== undefined) return program.build();
  const here = find(program);
  if (here !== undefined) return here;
  if (program.package === undefined || !machine.debian || !machine.root) {
    throw new Unavailable(whyMissing(program, machine));
  }
  const trouble = await install(program.package);
  const path = find(program);
  if (path !== undefined) return path;
  throw new Unavailable(whyMissing(program, machine, trouble));
}

/** Error for a missing program, with the way to install it on this machine. */
export function whyMissing(program: Program, machine: Machine, trouble?: string): string {
  const { name, package: source } = program;
  const missing = `${name} is not on this machine`;
  if (source === undefined) return `${missing}; put it on the PATH`;
  if (!machine.debian) return `${missing}; put it on the PATH (on Debian it is in the package ${source})`;
  if (!machine.root) return `${missing}; install it with: sudo apt-get install ${source}`;
  return `${missing}, and Debian's package ${source} did not bring it:\n${trouble ?? "no error was reported"}`;
}
