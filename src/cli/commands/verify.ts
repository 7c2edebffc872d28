import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError, type Command } from "../command/command.js";
import { startProgress } from "../terminal/progress.js";
import { valueFormatOf, valueOption, printValue } from "../output/value-output.js";

export const command: Command = {
  description:
    "Check a data folder from end to end: the checksums of all pages and rows, and that nothing is missing. The control " +
    "plane must be stopped. Changes nothing. Exit code 0: intact, 1: damaged, 2: could not be checked.",
  options: [{ flags: "--data <folder>", summary: "data folder", default: ".fettle" }, valueOption],
  examples: [
    ["fettle verify", "the data folder of this folder"],
    ["fettle verify --data /var/lib/fettle -o json", "another one, for programs"],
    ["fettle salvage .fettle salvaged", "write what a damaged folder still proves to a new one"],
  ],
  failureCode: 2,
  async run(_, options, terminal) {
    const { data } = options;
    const folder = typeof data === "string" ? data : ".fettle";
    const format = valueFormatOf(options);
    const { storeFolder } = await import("../../plane/backup/data-folder.js");
    const store = storeFolder(resolve(terminal.cwd, folder));
    if (!existsSync(store)) throw new UsageError(`${folder} is not a data folder: ${store} does not exist`);
    const { verifyDataFolder } = await import("../../plane/backup/verify.js");
    using progress = startProgress(terminal);
    const verification = await verifyDataFolder(store, {
      signal: terminal.signal,
      onProgress: (text) => progress.show(`${folder}: ${text}`),
    });
    progress.clear();
    const { verificationText } = await import("./verify/verification-text.js");
    await printValue(terminal, format, verification, () => verificationText(verification, folder));
    return verification.isIntact ? 0 : 1;
  },
};
