import { connectionOptions, UsageError, type Command, type OptionValues, type Terminal } from "../command.js";
import { connect } from "../connect.js";
import { durationOption } from "../kinds/asked.js";
import { managementClient } from "../management-client.js";
import { Reconnection } from "../reconnection.js";
import { Screen } from "../understand/screen.js";
import { topText } from "../understand/top-text.js";
import { itemText, valueFormatOf, valueOption, valueText } from "../understand/value-output.js";

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
  run: top,
};

async function top(words: readonly string[], options: OptionValues, terminal: Terminal): Promise<void> {
  const format = valueFormatOf(options);
  const { stdout, colors, signal } = terminal;
  const [once, watch] = [options["once"] === true, options["watch"] === true];
  if (words.length > 0) throw new UsageError("fettle top takes no arguments");
  if (once && watch) throw new UsageError("--once cannot be combined with --watch");
  const every = (await durationOption(options, "every")) ?? 2000;
  await using server = await connect(options, terminal);
  const plane = managementClient(server, signal);
  if (!watch && (once || format !== undefined || stdout.isTTY !== true)) {
    const figures = await plane.top();
    stdout.write(format === undefined ? topText(figures, colors) : await valueText(figures, format));
    return;
  }
  // A server that is not there at all is a failure; only one that goes away is waited for.
  await plane.top();
  const screen = new Screen(terminal);
  const reconnection = new Reconnection(terminal, { onSaid: () => screen.leave() });
  const all = reconnection.resumed(
    () => plane.followTop(every),
    () => plane.top(),
  );
  for await (const figures of all) {
    if (format === undefined) screen.draw(topText(figures, colors));
    else stdout.write(await itemText(figures, format));
  }
}
