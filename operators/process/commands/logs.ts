import {
  colorsOf,
  connect,
  connectionOptions,
  durationOption,
  textOption,
  UsageError,
  writeOut,
  type Colors,
  type Command,
  type OptionValues,
  type ServerConnection,
  type Terminal,
} from "fettle/cli";
import { isNotFound } from "fettle";
import type { ProcessObject } from "../kinds.js";
import { logPath } from "../log-route.js";
import { splitLines } from "./split-lines.js";
import { processesOf, processKinds, targetsOf } from "./targets.js";

export const command: Command = {
  arguments: "<object...>",
  kinds: processKinds,
  description:
    "Print the output of processes. With several of them, each line begins with the name of its process. " +
    "-f goes on with the output of the next attempt when a process is restarted.",
  options: [
    { flags: "-f, --follow", summary: "wait for more output until Ctrl-C" },
    { flags: "--since <duration>", summary: "only lines of the last 10m, 1h30m, …" },
    { flags: "--tail <lines>", summary: "only the last lines" },
    { flags: "-p, --previous", summary: "the output of the attempt before the last restart" },
    { flags: "-t, --timestamps", summary: "begin each line with its time" },
    ...connectionOptions,
  ],
  examples: [
    ["fettle logs process/web -f", "follow the output of a process"],
    ["fettle logs web worker --since 10m", "of two processes, the last ten minutes"],
    ["fettle logs web --previous", "what it wrote before it crashed"],
    ["fettle logs processset/workers -f", "of all processes of a set"],
  ],
  async run(words, options, terminal) {
    await using server = await connect(options, terminal);
    const targets = await targetsOf(words, options, server, terminal);
    const processes = await processesOf(targets, server, terminal);
    const path = await queryOf(options);
    const width = Math.max(...processes.map(({ metadata }) => metadata.name?.length ?? 0));
    const paint = colorsOf(terminal);
    for (const process of processes) {
      if (process.status?.attempt === undefined) terminal.stderr.write(notStartedText(process));
    }
    const printers = processes.map((process, index) =>
      print(process, path, {
        server,
        terminal,
        options,
        prefix: prefixOf(process, index, { width, paint, isOne: processes.length === 1 }),
      }),
    );
    await Promise.all(printers);
  },
};

async function queryOf(options: OptionValues): Promise<string> {
  const query = new URLSearchParams();
  if (options["follow"] === true) query.set("follow", "true");
  if (options["previous"] === true) query.set("previous", "true");
  if (options["follow"] === true && options["previous"] === true) {
    throw new UsageError("--follow and --previous contradict each other: the previous attempt has ended");
  }
  const since = await durationOption(options, "since");
  if (since !== undefined) query.set("since", String(Math.max(0, Math.floor(Date.now() - since))));
  const tail = textOption(options, "tail");
  if (tail !== undefined) {
    if (!/^\d+$/.test(tail)) throw new UsageError(`--tail ${tail}: use a number of lines`);
    query.set("tail", tail);
  }
  return query.toString();
}

interface Printing {
  readonly server: ServerConnection;
  readonly terminal: Terminal;
  readonly options: OptionValues;
  readonly prefix: string;
}

/** Form of a line: time, stream, whether it is complete, text. */
const lineForm = /^(\S+) (stdout|stderr) ([FP]) /;

async function print({ metadata }: ProcessObject, query: string, printing: Printing): Promise<void> {
  const { server, terminal, options, prefix } = printing;
  const { name = "", namespace = "" } = metadata;
  const path = `${logPath}/logs/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}?${query}`;
  let isLineStart = true;
  try {
    for await (const line of splitLines(server.transport.bytes(path, { signal: terminal.signal }))) {
      const head = line.subarray(0, 64).toString("latin1");
      const [form = "", time = "", , completeness] = lineForm.exec(head) ?? [];
      const begin = isLineStart ? `${prefix}${options["timestamps"] === true ? `${time} ` : ""}` : "";
      isLineStart = completeness !== "P";
      const text = line.subarray(form.length);
      await writeOut(
        terminal,
        Buffer.concat([Buffer.from(begin), text, Buffer.from(isLineStart ? "\n" : "")]),
      );
    }
  } catch (error) {
    if (terminal.signal.aborted) return;
    if (!isNotFound(error)) throw error;
    throw new Error(
      `the server ${server.connection.server} does not serve the logs of process ${name}: the operator may run elsewhere, on the machine of its processes`,
      { cause: error },
    );
  }
}

function notStartedText({ metadata, status }: ProcessObject): string {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return `process/${metadata.name} was never started${ready === undefined ? "" : `: ${ready.reason}: ${ready.message}`}\n`;
}

function prefixOf(
  { metadata: { name = "" } }: ProcessObject,
  index: number,
  { width, paint, isOne }: { readonly width: number; readonly paint: Colors; readonly isOne: boolean },
): string {
  if (isOne) return "";
  const colors = [paint.cyan, paint.magenta, paint.green, paint.yellow, paint.blue];
  const color = colors[index % colors.length] ?? paint.cyan;
  return color(`${name.padEnd(width)} | `);
}
