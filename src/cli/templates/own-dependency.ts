import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { ownFolder, ownPackage } from "./own-package.js";

/** Dependency of a new project on this package. */
export interface OwnDependency {
  /** Value in `dependencies`: a version, a URL, or `file:` and the path of a tarball in the project. */
  readonly spec: string;
  /** Path of the tarball in the project, if it has one. */
  readonly tarball?: string | undefined;
  /** Files that the dependency needs, by their paths in the project. */
  readonly files: Readonly<Record<string, Uint8Array>>;
}

/**
 * Dependency that `npm install` can resolve wherever the new project is checked out. What came from a registry or as a tarball from
 * a web server can be downloaded again. Anything else (a clone, a local tarball, a git URL, a global installation, whose origin npm
 * does not record) is packed into the project: paths of this machine do not exist in an image or on another machine, and images of
 * Node have no git.
 */
export async function ownDependency(signal: AbortSignal, folder = ownFolder()): Promise<OwnDependency> {
  const { name, version } = ownPackage();
  const spec = installedSpec(folder, name);
  if (spec !== undefined && isRegistrySpec(spec)) return { spec: version, files: {} };
  if (spec !== undefined && isDownload(spec)) return { spec, files: {} };
  const tarball = `vendor/${name}-${version}.tgz`;
  return { spec: `file:${tarball}`, tarball, files: { [tarball]: await pack(folder, signal) } };
}

interface Dependencies {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Spec by which a package was installed, from the package.json beside its node_modules; npx has one in its cache. */
function installedSpec(folder: string, name: string): string | undefined {
  for (let path = folder; path !== dirname(path); path = dirname(path)) {
    const manifest = join(dirname(path), "package.json");
    if (basename(path) !== "node_modules" || !existsSync(manifest)) continue;
    const found = JSON.parse(readFileSync(manifest, "utf8")) as Dependencies;
    const spec = { ...found.optionalDependencies, ...found.devDependencies, ...found.dependencies }[name];
    if (spec !== undefined) return spec;
  }
  return undefined;
}

/** Tests for a version, a range or a tag: `1.2.3`, `^1.0.0`, `latest`. */
function isRegistrySpec(spec: string): boolean {
  return !/[:/\\]|\.(tgz|tar\.gz)$/.test(spec);
}

function isDownload(spec: string): boolean {
  return /^https?:\/\/[^?#]+\.(tgz|tar\.gz)([?#]|$)/.test(spec);
}

/** Packs an installed package, or a clone that was built. */
async function pack(folder: string, signal: AbortSignal): Promise<Buffer> {
  const destination = await mkdtemp(join(tmpdir(), "fettle-pack-"));
  try {
    // Options as variables need no quoting for the shell that Windows requires. Scripts would build a clone again, and an installed
    // package does not have them. A dry run of a surrounding npm must not apply here.
    const options = { pack_destination: destination, ignore_scripts: "true", dry_run: "false" };
    await promisify(execFile)("npm", ["pack"], {
      cwd: folder,
      shell: process.platform === "win32",
      signal,
      maxBuffer: 2 ** 26,
      env: {
        ...process.env,
        ...Object.fromEntries(Object.entries(options).map(([name, value]) => [`npm_config_${name}`, value])),
      },
    });
    const [tarball = ""] = await readdir(destination);
    return await readFile(join(destination, tarball));
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message.trim() : String(error);
    throw new Error(
      `nothing was written: npm pack failed in ${folder}, and the project needs its tarball: ${reason}`,
      {
        cause: error,
      },
    );
  } finally {
    await rm(destination, { recursive: true, force: true });
  }
}
