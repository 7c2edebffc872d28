import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A peer written in Go: reads requests from stdin and writes responses to stdout, one JSON value per line. */
export interface GoProgram extends AsyncDisposable {
  ask<Answer>(question: object): Promise<Answer>;
}

const compiler = "go";
/** The flags of `test/components/kubernetes`, so that shared packages are compiled once. */
const build = ["build", "-trimpath", "-gcflags=all=-dwarf=false", "-ldflags=-s -w"];
const running = new Set<{ kill(signal: NodeJS.Signals): boolean }>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts the program in `bench/peers/<name>`, and builds it first if necessary. */
export async function startGoProgram(name: string, given: readonly string[] = []): Promise<GoProgram> {
  const child = spawn(builtGoProgram(name), given, { stdio: ["pipe", "pipe", "inherit"] });
  running.add(child);
  const exited = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      running.delete(child);
      reject(new Error(`bench/peers/${name} ended with ${code ?? signal} instead of answering`));
    });
  });
  // Handled by the callers of ask().
  exited.catch(() => {});
  child.stdin.on("error", () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask<Answer>(question: object) {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await Promise.race([lines.next(), exited]);
      if (done === true) return exited;
      return JSON.parse(value) as Answer;
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await exited.catch(() => {});
    },
  };
}

/** Path of the built program, outside the repository in a folder named by the hash of its sources. */
export function builtGoProgram(name: string): string {
  const sources = fileURLToPath(new URL(`../../../bench/peers/${name}/`, import.meta.url));
  const hash = createHash("sha256");
  for (const file of readdirSync(sources).toSorted()) hash.update(readFileSync(join(sources, file)));
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "fettle");
  const folder = join(cache, `bench-${name}-${hash.digest("hex").slice(0, 12)}`);
  const path = join(folder, name);
  if (existsSync(path)) return path;
  const { error } = spawnSync(compiler, ["version"]);
  if (error !== undefined) {
    throw new Error(
      `bench/peers/${name} is built with Go, and go is not on the PATH: install Go, then try again`,
    );
  }
  process.stderr.write(`building bench/peers/${name} with Go, some minutes this once …\n`);
  mkdirSync(folder, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  const { status, stderr } = spawnSync(compiler, [...build, "-o", unfinished, "."], {
    cwd: sources,
    env: { ...process.env, CGO_ENABLED: "0" },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`bench/peers/${name} could not be built:\n${stderr}`);
  renameSync(unfinished, path);
  return path;
}
