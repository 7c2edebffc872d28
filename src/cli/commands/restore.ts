import { createReadStream, existsSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError, type Command } from "../command.js";
import { startProgress } from "../output/progress.js";

export const command: Command = {
  arguments: "<file>",
  description:
    "Makes a data folder from a backup that fettle backup has made. Nothing is there before all of the backup has been read " +
    "and its checksum is right. Objects get new resourceVersions, greater than any before, and who watched the lost control " +
    "plane is told to list anew. Tokens and certificates are made anew when the folder has none.",
  options: [
    { flags: "--data <folder>", summary: "the data folder to make", default: ".fettle" },
    {
      flags: "--force",
      summary: "also where something is already: a store there is moved aside, tokens and certificates stay",
    },
  ],
  examples: [
    ["fettle restore nightly.backup.gz --data restored", "into a new folder"],
    ["fettle up --data restored", "and how to start it"],
    ["ssh host cat nightly.backup.gz | fettle restore -", "from somewhere else, into .fettle"],
  ],
  async run([file], { data, force }, terminal) {
    if (file === undefined) throw new UsageError("which backup? Name a file, or - for what is piped in");
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
        onProgress: ({ entries, count }) => progress.say(`restoring: ${entries} of ${count} entries`),
      },
    );
    progress.clear();
    terminal.stdout.write(
      `restored ${entries} entries of revision ${revision}, saved at ${time}, to ${folder}\n`,
    );
    if (replaced !== undefined) {
      terminal.stdout.write(`what was there before is in ${replaced}; delete it when it is not needed\n`);
    }
    terminal.stdout.write(`start it with: fettle up --data ${folder}\n`);
  },
};
