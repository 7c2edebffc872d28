import { createReadStream, existsSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError, type Command } from "../command/command.js";
import { startProgress } from "../terminal/progress.js";

export const command: Command = {
  arguments: "<file>",
  description:
    "Create a data folder from a file made by fettle backup. The folder appears only after the whole backup has been read " +
    "and its checksum verified. Objects get new, greater resourceVersions; clients that watched the old control plane have " +
    "to list again. Tokens and certificates are created if the folder has none.",
  options: [
    { flags: "--data <folder>", summary: "data folder to create", default: ".fettle" },
    {
      flags: "--force",
      summary: "restore into an existing folder: its store is moved aside, tokens and certificates stay",
    },
  ],
  examples: [
    ["fettle restore nightly.backup.gz --data restored", "into a new folder"],
    ["fettle up --data restored", "start it"],
    ["ssh host cat nightly.backup.gz | fettle restore -", "from another host, into .fettle"],
  ],
  async run([file], { data, force }, terminal) {
    if (file === undefined) throw new UsageError("missing backup file (- for standard input)");
    const path = resolve(terminal.cwd, file);
    if (file !== "-" && !existsSync(path)) throw new UsageError(`${file} does not exist`);
    const folder = typeof data === "string" ? data : ".fettle";
    const { restore } = await import("../../plane/backup/restore.js");
    using progress = startProgress(terminal);
    const { entries, revision, time, replaced } = await restore(
      file === "-" ? terminal.stdin : createReadStream(path),
      resolve(terminal.cwd, folder),
      {
        force: force === true,
        signal: terminal.signal,
        onProgress: ({ entries, count }) => progress.show(`restoring: ${entries} of ${count} entries`),
      },
    );
    progress.clear();
    terminal.stdout.write(
      `restored ${entries} entries of revision ${revision}, saved at ${time}, to ${folder}\n`,
    );
    if (replaced !== undefined) {
      terminal.stdout.write(`the previous store is in ${replaced}; delete it when you no longer need it\n`);
    }
    terminal.stdout.write(`start it with: fettle up --data ${folder}\n`);
  },
};
