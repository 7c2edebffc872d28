import {
  colorsOf,
  columns,
  connect,
  connectionOptions,
  headerRow,
  selectionOptions,
  type Colors,
  type Command,
  type TableCell,
} from "fettle/cli";
import { formatAge } from "fettle/model";
import type { ProcessObject } from "../kinds.js";
import { conditionsOf } from "../status.js";
import { processesOf, processKinds, targetsOf } from "./targets.js";

export const command: Command = {
  arguments: "[object...]",
  kinds: processKinds,
  description:
    "List processes with their state, pid, resource usage and last exit. CPU is the average since the start; it and the memory are " +
    "refreshed once a minute.",
  options: [...connectionOptions, ...selectionOptions.slice(0, 2)],
  examples: [
    ["fettle ps", "all processes of the namespace"],
    ["fettle ps -A", "in all namespaces"],
    ["fettle ps processset/workers", "the processes of a set"],
  ],
  async run(words, options, terminal) {
    await using server = await connect(options, terminal);
    const targets = await targetsOf(words, options, server, terminal);
    const processes = await processesOf(targets, server, terminal);
    if (processes.length === 0) {
      terminal.stderr.write(
        `No processes in ${options["allNamespaces"] === true ? "any namespace" : `namespace ${server.namespace}`}.\n`,
      );
      return;
    }
    const paint = colorsOf(terminal);
    const isWide = options["allNamespaces"] === true;
    const rows = processes.map((each) => rowOf(each, isWide, paint, Date.now()));
    terminal.stdout.write(columns([headerRow(isWide ? ["NAMESPACE", ...titles] : titles, paint), ...rows]));
  },
};

type Status = NonNullable<ProcessObject["status"]>;

const titles = ["NAME", "STATE", "READY", "PID", "UP", "CPU", "MEMORY", "RESTARTS", "PORTS", "LAST EXIT"];

function rowOf(
  process: ProcessObject,
  withNamespace: boolean,
  paint: Colors,
  now: number,
): readonly TableCell[] {
  const { metadata, status = {} } = process;
  const { state = "Pending", pid, startedAt, restarts = 0, ports = {}, lastExit } = status;
  const isReady = conditionsOf(process).ready === "True";
  const row: TableCell[] = [
    metadata.name ?? "",
    { text: stateText(state, status, now), paint: stateColor(state, isReady, paint) },
    isReady ? "yes" : { text: notReadyText(process), paint: paint.yellow },
    pid === undefined ? "" : String(pid),
    startedAt === undefined ? "" : formatAge(Math.max(0, now - Date.parse(startedAt))),
    cpuText(status),
    status.memoryBytes === undefined ? "" : sizeText(status.memoryBytes),
    restarts === 0 ? "0" : { text: String(restarts), paint: paint.yellow },
    Object.entries(ports)
      .map(([name, port]) => `${name}:${port}`)
      .join(","),
    exitText(lastExit, now),
  ];
  return withNamespace ? [metadata.namespace ?? "", ...row] : row;
}

function stateColor(state: string, isReady: boolean, paint: Colors): (text: string) => string {
  if (state === "Failed" || state === "Backoff") return paint.red;
  if (state === "Running") return isReady ? paint.green : paint.yellow;
  return state === "Stopped" || state === "Completed" ? paint.dim : paint.yellow;
}

/** State, with the time until the next start. */
function stateText(state: string, { nextRun }: Status, now: number): string {
  if (nextRun === undefined) return state;
  return `${state} (${formatAge(Math.max(0, Date.parse(nextRun) - now))})`;
}

/** `no`, with the reason unless the state says the same. */
function notReadyText({ status }: ProcessObject): string {
  const reason = status?.conditions?.find(({ type }) => type === "Ready")?.reason;
  const isPlain = reason === undefined || ["NotReady", "Suspended", status?.state].includes(reason);
  return isPlain ? "no" : `no (${reason})`;
}

/** Average from the start to the last measurement. */
function cpuText({ cpuSeconds, startedAt, usageAt }: Status): string {
  if (cpuSeconds === undefined || startedAt === undefined || usageAt === undefined) return "";
  const seconds = Math.max((Date.parse(usageAt) - Date.parse(startedAt)) / 1000, 1);
  return `${((100 * cpuSeconds) / seconds).toFixed(1)}%`;
}

/** Characters of the last exit; `fettle describe` shows all. */
const exitWidth = 60;

function exitText(exit: Status["lastExit"], now: number): string {
  if (exit === undefined) return "";
  const { message, finishedAt } = exit;
  const text = message.length > exitWidth ? `${message.slice(0, exitWidth)}…` : message;
  return `${text}, ${formatAge(Math.max(0, now - Date.parse(finishedAt)))} ago`;
}

function sizeText(bytes: number): string {
  const units = ["B", "Ki", "Mi", "Gi"];
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)}${units[unit]}`;
}
