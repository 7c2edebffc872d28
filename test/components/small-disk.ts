import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Component } from "./component.js";
import { Unavailable } from "./machine/program.js";

export interface Disk extends AsyncDisposable {
  readonly path: string;
}

/** File system of so many megabytes, which only root can mount. */
export function smallDisk(megabytes: number): Component<Disk> {
  const mount = async (): Promise<Disk> => mountDisk(megabytes);
  const disk: Component<Disk> = {
    name: "a small file system",
    async obtain() {
      const disk = await mount();
      await disk[Symbol.asyncDispose]();
      return "tmpfs";
    },
    start: mount,
    with: () => disk,
  };
  return disk;
}

function mountDisk(megabytes: number): Disk {
  const path = mkdtempSync(join(tmpdir(), "fettle-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path], { stdio: "pipe" });
  } catch (error) {
    rmdirSync(path);
    throw new Unavailable(`a tmpfs could not be mounted (${String(error).trim()}); run the tests as root`);
  }
  return {
    path,
    async [Symbol.asyncDispose]() {
      // Lazily: SQLite's file handles are closed by garbage collection, some time after the store.
      execFileSync("umount", ["--lazy", path]);
      rmdirSync(path);
    },
  };
}
