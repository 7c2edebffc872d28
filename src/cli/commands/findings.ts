import picocolors from "picocolors";
import type { Command } from "../command/command.js";
import { kubeconfigOptions } from "../command/options.js";
import { findingText } from "../output/finding-text.js";
import { printValue, valueFormatOf, valueOption } from "../output/value-output.js";
import { connect } from "../server/connect.js";

export const command: Command = {
  description:
    "Show objects that are reconciled again and again, and why: hot loops, which controllers keep going by their own writes, and fields over which two writers fight. Findings of the last hour, newest first.",
  options: [...kubeconfigOptions, valueOption],
  examples: [["fettle findings", "which controllers loop, and what to do"]],
  async run(_, options, terminal) {
    const format = valueFormatOf(options);
    await using server = await connect(options, terminal);
    const { findings } = await server.plane.controllers();
    const paint = picocolors.createColors(terminal.colors);
    await printValue(terminal, format, { findings }, () =>
      findings.length === 0
        ? "no hot loops and no fights over fields within the last hour\n"
        : findings.map((each) => findingText(each, Date.now(), paint)).join("\n"),
    );
  },
};
