import { existsSync, readFileSync } from "node:fs";

interface OwnPackage {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** What this package says of itself: a project is made with the versions it was tested with. */
export function ownPackage(): OwnPackage {
  for (let folder = new URL("..", import.meta.url); ; folder = new URL("..", folder)) {
    const file = new URL("package.json", folder);
    if (existsSync(file)) {
      const found = JSON.parse(readFileSync(file, "utf8")) as OwnPackage;
      if (found.name === "fettle") return found;
    }
    if (folder.pathname === "/")
      throw new Error("the package.json of fettle is missing; install fettle again");
  }
}
