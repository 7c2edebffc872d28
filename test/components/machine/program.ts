import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isRoot } from "./account.js";
import { install } from "./debian.js";

/** A program that tests need, and where it comes from when it is missing. */
export interface Program {
  /** As typed in a shell. */
  readonly name: string;
  /** The Debian package that brings it; without one it is never installed. */
  readonly package?: string;
  /** Where to look besides the PATH, best first. */
  readonly folders?: () => readonly string[];
  /** Makes it, where it has to be a very version that no package brings; resolves with its path. */
  readonly build?: () => Promise<string>;
}

/** A program that is neither here nor to be had; the message says how to get it. */
export class Unavailable extends Error {
  override readonly name: string = "Unavailable";
}

/** A program that only another language's toolchain can make, which is not here. Nobody has to have that one. */
export class MissingToolchain extends Unavailable {
  override readonly name = "MissingToolchain";
}

/** What decides whether a missing program can be installed. */
export interface Machine {
  readonly root: boolean;
  readonly debian: boolean;
}

/** The machine this runs on. */
export function thisMachine(): Machine {
  return { root: isRoot(), debian: existsSync("/etc/debian_version") && existsSync("/usr/bin/apt-get") };
}

/** Servers live in these, which are not on every user's PATH. */
const serverFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** The program's path, or undefined when it is not on this machine. */
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
 * The program's path, after installing it when it is missing and can be installed. Rejects with
 * {@link Unavailable}; asked twice, it tries once.
 */
export function obtain(program: Program): Promise<string> {
  const known = obtained.get(program.name);
  if (known !== undefined) return known;
  const path = findOrInstall(program, thisMachine());
  obtained.set(program.name, path);
  path.catch(() => {}); // Whoever asks hears of it; nobody may have to.
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

/** Says that a program is missing, and the way to get it on this kind of machine. */
export function whyMissing(program: Program, machine: Machine, trouble?: string): string {
  const { name, package: source } = program;
  const missing = `${name} is not on this machine`;
  if (source === undefined) return `${missing}; put it on the PATH`;
  if (!machine.debian) return `${missing}; put it on the PATH (on Debian it is in the package ${source})`;
  if (!machine.root) return `${missing}; install it with: sudo apt-get install ${source}`;
  return `${missing}, and Debian's package ${source} did not bring it:\n${trouble ?? "no error was reported"}`;
}
