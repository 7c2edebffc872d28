import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UsageError, type Command } from "../../command/command.js";
import { connect } from "../../server/connect.js";
import { durationOption, textOption, connectionOptions } from "../../command/options.js";
import { startProgress } from "../../terminal/progress.js";

export const profile: Command = {
  description:
    "Record a CPU profile of the control plane. The .cpuprofile file can be opened in Chrome (DevTools, Performance) and VS Code. The control plane keeps working meanwhile, a little slower.",
  options: [
    ...connectionOptions,
    { flags: "--duration <seconds>", summary: "duration, such as 60, 30s or 2m (default: 10)" },
    { flags: "--output <file>", summary: "output file (default: fettle-DATE.cpuprofile)" },
  ],
  examples: [
    ["fettle debug profile --duration 60", "for a minute"],
    ["fettle debug profile --duration 10 --output slow.cpuprofile", "to a given file"],
  ],
  async run(_, options, terminal) {
    const seconds = ((await durationOption(options, "duration")) ?? 10_000) / 1000;
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > 600) {
      throw new UsageError("invalid --duration; use whole seconds from 1 to 600");
    }
    const { cwd, stdout } = terminal;
    const date = new Date().toISOString().replaceAll(/[:.]/g, "-");
    const file = textOption(options, "output") ?? `fettle-${date}.cpuprofile`;
    const folder = dirname(resolve(cwd, file));
    // Checked now, before the profile is taken.
    if (!existsSync(folder)) throw new UsageError(`the folder ${folder} does not exist`);
    await using server = await connect(options, terminal);
    using progress = startProgress(terminal);
    progress.show(`profiling ${server.connection.server} for ${seconds} s`);
    const profile = await server.plane.profile(seconds);
    await writeFile(resolve(cwd, file), JSON.stringify(profile));
    progress.clear();
    stdout.write(`wrote ${file}: open it in Chrome's DevTools (Performance) or in VS Code\n`);
  },
};
