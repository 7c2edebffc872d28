import { spawn } from "node:child_process";
import type { Terminal } from "../../command/command.js";

/** Opens a file in the editor of the user's choice, and waits until it is closed. */
export async function openEditor(path: string, { env, stdin }: Terminal): Promise<void> {
  if (!env["VISUAL"] && !env["EDITOR"] && stdin.isTTY !== true) {
    throw new Error("no terminal to run an editor in; set EDITOR or VISUAL to a program that needs none");
  }
  const editor = env["VISUAL"] || env["EDITOR"] || (process.platform === "win32" ? "notepad" : "vi");
  // The variable may hold options (`code --wait`), so a shell splits it; the path is passed as a separate argument.
  const [program, words] =
    process.platform === "win32"
      ? [`${editor} "${path}"`, []]
      : ["/bin/sh", ["-c", `${editor} "$1"`, "fettle-edit", path]];
  const code = await new Promise<number>((resolve, reject) => {
    const child = spawn(program, words, {
      stdio: "inherit",
      env: { ...env },
      shell: process.platform === "win32",
    });
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(signal === null ? (code ?? 0) : 128));
  });
  if (code === 127)
    throw new Error(
      `the editor ${JSON.stringify(editor)} was not found; set EDITOR or VISUAL to an installed program`,
    );
  if (code !== 0) throw new Error(`the editor ${JSON.stringify(editor)} exited with code ${code}`);
}
