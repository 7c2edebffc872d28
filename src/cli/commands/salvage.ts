import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { UsageError, type Command } from "../command/command.js";
import { startProgress } from "../terminal/progress.js";
import { lossLines } from "../output/salvage-text.js";
import { valueFormatOf, valueOption, printValue } from "../output/value-output.js";

export const command: Command = {
  arguments: "<folder> <new-folder>",
  description:
    "Write what a damaged data folder still proves to a new one, and list what is lost. An object is kept if its checksum " +
    "is right. Tokens, certificates and the record of runs are copied. Objects get new, greater resourceVersions. The " +
    "damaged folder is not changed. Exit code 0: nothing is lost, 1: something is, 2: nothing was written.",
  options: [valueOption],
  examples: [
    ["fettle verify", "see what is damaged"],
    ["fettle salvage .fettle salvaged", "write what can be proven to a new folder"],
    ["fettle up --data salvaged", "start it"],
  ],
  failureCode: 2,
  async run([folder, target], options, terminal) {
    if (folder === undefined || target === undefined)
      throw new UsageError("name the damaged folder and a new one: fettle salvage .fettle salvaged");
    const format = valueFormatOf(options);
    const damaged = resolve(terminal.cwd, folder);
    if (!existsSync(damaged)) throw new UsageError(`${folder} does not exist`);
    const { salvage, salvageReport } = await import("../../plane/backup/salvage.js");
    using progress = startProgress(terminal);
    const summary = await salvage(damaged, resolve(terminal.cwd, target), {
      signal: terminal.signal,
      onProgress: ({ pages, of }) => progress.show(`reading: ${pages} of ${of} pages`),
    });
    progress.clear();
    const report = join(target, salvageReport);
    await printValue(terminal, format, summary, () => {
      const lines = [`salvaged ${summary.entries} objects to ${target}`, ...lossLines(summary)];
      if (summary.isComplete) lines.push("nothing is lost");
      else lines.push(`the whole list is in ${report}`);
      return `${lines.join("\n")}\nstart it with: fettle up --data ${target}\n`;
    });
    return summary.isComplete ? 0 : 1;
  },
};
