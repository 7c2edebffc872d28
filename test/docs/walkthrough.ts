import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { inGroup } from "../cli/fettle-process.js";

/** Folders and variables of a reader. */
interface Reader {
  /** Folder in which the reader begins. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Block {
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/** Commands that run until Ctrl-C, and the output after which they are ready. */
const longRunning: readonly (readonly [command: RegExp, ready: RegExp])[] = [
  [/^npx fettle up\b/, /Activity:/],
  [/^npx fettle run\b/, /controllers are (running|at work)/i],
];
/** Commands that change nothing, so that a reader can look again. */
const readOnly = /^(cat|ls|kubectl .* get|npx fettle (get|why))\b/;
/** Attempts for a block of read-only commands. Each takes a second or so. */
const attempts = 20;
/** Limit for the commands of one block, in milliseconds; installing takes longest. */
const blockTimeout = 120_000;

/**
 * Follows a page from top to bottom, as a reader would: files are written with the shown content, commands run in order, and their
 * output has what the page shows.
 *
 * - A `ts`, `yaml` or `json` block whose first line is a comment with a path is that file.
 * - An `sh` block is run. A command that does not end by itself is alone in its block; it runs until the next such command, or the
 *   end of the page.
 * - A `text` block is output of the `sh` block before it: the words of each of its lines are in one line of the output.
 *
 * @returns the folder in which the reader ends.
 */
export async function follow(page: string, { folder, env }: Reader): Promise<string> {
  const blocks = blocksOf(await readFile(page, "utf8"));
  let cwd = folder;
  let running: ReturnType<typeof inGroup> | undefined;
  const stop = async (): Promise<void> => {
    running?.ctrlC();
    await running?.ended;
  };
  for (const [index, { language, text, line }] of blocks.entries()) {
    const [, file] = /^(?:\/\/|#) (\S+\.\w+)\n/.exec(text) ?? [];
    if (language === "sh") {
      const [, ready] = longRunning.find(([command]) => command.test(text)) ?? [];
      if (ready === undefined) {
        const next = blocks[index + 1];
        const shown = next?.language === "text" ? next.text : "";
        cwd = await performed(text, shown, { folder: cwd, env }, `${page}:${line}`);
      } else {
        await stop();
        running = inGroup("sh", ["-c", `exec ${text}`], { cwd, env });
        await running.says(ready);
      }
    } else if (language !== "text") {
      if (file === undefined)
        throw new Error(`${page}:${line}: the block does not begin with its file's name`);
      await mkdir(dirname(join(cwd, file)), { recursive: true });
      await writeFile(join(cwd, file), text);
    }
  }
  await stop();
  return cwd;
}

function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(/^```(\w+)\n(.*?)^```/gms)].map((match) => ({
    line: text.slice(0, match.index).split("\n").length,
    language: match[1] ?? "",
    text: match[2] ?? "",
  }));
}

/** Runs the commands of a block; returns the folder in which they end. */
async function performed(
  text: string,
  shown: string,
  { folder, env }: Reader,
  where: string,
): Promise<string> {
  const commands = text.trim().split("\n");
  const tries = commands.every((command) => readOnly.test(command)) ? attempts : 1;
  for (let attempt = 1; ; attempt++) {
    const mark = "the reader is now in ";
    const script = `set -e\n${text}\nprintf '\\n${mark}%s' "$PWD"`;
    const { stdout } = await promisify(execFile)("sh", ["-c", script], {
      cwd: folder,
      env,
      timeout: blockTimeout,
    });
    const [output = "", end = folder] = stdout.split(`\n${mark}`);
    const missing = shown.split("\n").filter((line) => line !== "" && !hasLine(output, line));
    if (missing.length === 0) return end;
    if (attempt >= tries)
      expect(output, `${where} shows what its commands do not print`).toContain(missing.join("\n"));
  }
}

function hasLine(output: string, line: string): boolean {
  const words = line.trim().split(/\s+/);
  return output.split("\n").some((each) => words.every((word) => each.split(/\s+/).includes(word)));
}
