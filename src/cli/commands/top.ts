import { UsageError, type Command } from "../command/command.js";
import { connect } from "../server/connect.js";
import { durationOption, connectionOptions } from "../command/options.js";
import { Reconnection } from "../server/reconnection.js";
import { Screen } from "../terminal/screen.js";
import { topText } from "./top/top-text.js";
import { itemText, valueFormatOf, valueOption, printValue } from "../output/value-output.js";

export const command: Command = {
  description:
    "Show the load of the control plane: queues, rates, run and wait times, caches, memory and CPU. On a terminal it refreshes until Ctrl-C; otherwise it prints once.",
  options: [
    ...connectionOptions,
    { flags: "-w, --watch", summary: "keep refreshing, also without a terminal" },
    { flags: "--once", summary: "print once, also on a terminal" },
    { flags: "--every <duration>", summary: "refresh interval (default: 2s)" },
    valueOption,
  ],
  examples: [
    ["fettle top", "live"],
    ["fettle top --once -o json", "all figures as JSON"],
  ],
  async run(_, options, terminal) {
    const format = valueFormatOf(options);
    const { stdout, colors } = terminal;
    const [once, watch] = [options["once"] === true, options["watch"] === true];
    if (once && watch) throw new UsageError("--once cannot be combined with --watch");
    const every = (await durationOption(options, "every")) ?? 2000;
    await using server = await connect(options, terminal);
    const { plane } = server;
    if (!watch && (once || format !== undefined || stdout.isTTY !== true)) {
      const figures = await plane.top();
      return await printValue(terminal, format, figures, () => topText(figures, colors));
    }
    // Fails if the server cannot be reached at first; later losses are waited for.
    await plane.top();
    const screen = new Screen(terminal);
    const reconnection = new Reconnection(terminal, { onPrint: () => screen.leave() });
    const all = reconnection.resumed(
      () => plane.followTop(every),
      () => plane.top(),
    );
    for await (const figures of all) {
      if (format === undefined) screen.draw(topText(figures, colors));
      else stdout.write(await itemText(figures, format));
    }
  },
};
