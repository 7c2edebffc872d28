import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Need } from "./component.js";
import { find, thisMachine, Unavailable, whyMissing, type Program } from "./machine/program.js";

const run = promisify(execFile);

/** An installed kubectl. */
export interface Kubectl {
  /** Version without the `v`: `1.32.5`. */
  readonly version: string;
  readonly path: string;
}

const program: Program = { name: "kubectl", package: "kubernetes-client" };
const unpacked = fileURLToPath(new URL("../../.cache/components/kubernetes-client", import.meta.url));

let found: Promise<readonly Kubectl[]> | undefined;

/**
 * All versions of kubectl on this machine, and Debian's. Nothing is installed or downloaded from elsewhere.
 *
 * @example describeWith("kubectl", kubectl, async () => {
 *   test.each(await kubectl.versions())("$version lists pods", async ({ path }) => { … });
 * });
 */
export const kubectl = {
  name: "kubectl",
  /** Newest version; rejects with `Unavailable` when there is none. */
  async obtain(): Promise<Kubectl> {
    const newest = (await kubectl.versions()).at(-1);
    if (newest === undefined) throw new Unavailable(whyMissing(program, { ...thisMachine(), root: false }));
    return newest;
  },
  /** All versions, oldest first, without duplicates; empty when there is none. */
  versions(): Promise<readonly Kubectl[]> {
    found ??= search();
    return found;
  },
} satisfies Need & Record<string, unknown>;

async function search(): Promise<readonly Kubectl[]> {
  const paths = new Set<string>();
  const onPath = find(program);
  if (onPath !== undefined) {
    const real = realpathSync(onPath);
    paths.add(real);
    // Google's package has a dispatcher on the PATH and the versions it chooses from beside it.
    for (const file of readdirSync(dirname(real))) {
      if (/^kubectl\.\d+\.\d+$/.test(file)) paths.add(join(dirname(real), file));
    }
  }
  const debian = await unpack();
  if (debian !== undefined) paths.add(debian);
  const all = await Promise.all([...paths].map(identify));
  const byVersion = new Map(all.filter((one) => one !== undefined).map((one) => [one.version, one]));
  const sorted = [...byVersion.values()].sort((a, b) => compare(a.version, b.version));
  const plain = sorted.filter(({ version }) => !version.endsWith("-dispatcher"));
  return plain.length > 0 ? plain : sorted;
}

async function identify(path: string): Promise<Kubectl | undefined> {
  try {
    const { stdout } = await run(path, ["version", "--client", "-o", "json"]);
    const { clientVersion }: { clientVersion: { gitVersion: string } } = JSON.parse(stdout);
    return { version: clientVersion.gitVersion.replace(/^v/, ""), path };
  } catch {
    return undefined;
  }
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

/**
 * Unpacks Debian's kubectl into a cache: its package conflicts with others that have /usr/bin/kubectl. Undefined where
 * apt-get cannot download it.
 */
async function unpack(): Promise<string | undefined> {
  const path = join(unpacked, "usr/bin/kubectl");
  if (existsSync(path)) return path;
  if (!thisMachine().debian) return undefined;
  process.stderr.write("unpacking kubernetes-client (Debian) …\n");
  mkdirSync(dirname(unpacked), { recursive: true });
  const folder = mkdtempSync(`${unpacked}-`);
  try {
    // As root, apt-get would otherwise complain that its unprivileged user cannot write here.
    await run("apt-get", ["download", "-q", "-o", "APT::Sandbox::User=root", "kubernetes-client"], {
      cwd: folder,
    });
    const [archive] = readdirSync(folder);
    if (archive === undefined) return undefined;
    await run("dpkg-deb", ["--extract", archive, "content"], { cwd: folder });
    // Another worker may have been faster, with an equal copy.
    if (!existsSync(unpacked)) renameSync(join(folder, "content"), unpacked);
    return path;
  } catch {
    return existsSync(path) ? path : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
