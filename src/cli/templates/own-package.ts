import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

interface OwnPackage {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** package.json of this package: a new project gets the versions it was tested with. */
export function ownPackage(): OwnPackage {
  return locate().manifest;
}

/** Folder of this package: a clone, or an installed package. */
export function ownFolder(): string {
  return fileURLToPath(locate().folder);
}

/** Path of the `fettle` command's program. */
export function ownProgram(): string {
  return fileURLToPath(new URL("dist/cli/main.js", locate().folder));
}

/** Searches upwards: the same code runs from `src` and, bundled, from `dist`. */
function locate(): { readonly folder: URL; readonly manifest: OwnPackage } {
  for (let folder = new URL("..", import.meta.url); ; folder = new URL("..", folder)) {
    const file = new URL("package.json", folder);
    if (existsSync(file)) {
      const manifest = JSON.parse(readFileSync(file, "utf8")) as OwnPackage;
      if (manifest.name === "fettle") return { folder, manifest };
    }
    if (folder.pathname === "/")
      throw new Error("the package.json of fettle is missing; install fettle again");
  }
}
