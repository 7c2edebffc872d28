import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Writes all files, or none if one of them exists already. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  const present = Object.keys(files).filter((name) => existsSync(join(folder, name)));
  if (present.length > 0) {
    throw new Error(
      `nothing was written: ${present.join(", ")} already ${present.length === 1 ? "exists" : "exist"}; ` +
        "move or delete what is there, or choose another name or folder",
    );
  }
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { flag: "wx" });
  }
}
