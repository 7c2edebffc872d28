import picocolors from "picocolors";
import { formatAge } from "../../../model/core.js";
import type { Top } from "../../../plane/management/contract.js";
import { releaseText, windowText } from "../../output/hold-text.js";
import { cellText, columns, headerRow, type TableCell, type Colors } from "../../terminal/columns.js";

/** Findings that are shown; `fettle findings` shows all. */
const maxFindings = 3;

/** Formats the load of a control plane: problems, queues, runs, memory. */
export function topText(top: Top, colors: boolean): string {
  const paint = picocolors.createColors(colors);
  const { memory, cpu, revision, uptime } = top;
  const head = [
    `up ${formatAge(uptime)}`,
    `CPU ${(cpu * 100).toFixed(0)} %`,
    `memory ${bytes(memory.rss)} (heap ${bytes(memory.heapUsed)}, external ${bytes(memory.external)})`,
    `revision ${revision}`,
  ].join(" · ");
  const controllers = top.controllers.map((each) => [
    { text: each.name, paint: paint.bold },
    stateCell(each, paint),
    `${each.queue.running}/${each.concurrency}`,
    String(each.queue.ready),
    String(each.queue.delayed),
    problemCell(String(each.queue.dead), paint),
    rate(each.runsPerSecond),
    problemCell(rate(each.errorsPerSecond), paint),
    `${time(each.duration.p50)} / ${time(each.duration.p99)}`,
    `${time(each.wait.p50)} / ${time(each.wait.p99)}`,
  ]);
  const titles = [
    "CONTROLLER",
    "STATE",
    "RUNNING",
    "READY",
    "DELAYED",
    "DEAD",
    "RUNS/S",
    "ERRORS/S",
    "RUN P50/P99",
    "WAIT P50/P99",
  ];
  const informers = top.informers.map(({ kind, size, synced, users }) => [
    kind,
    String(size),
    synced ? { text: "yes", paint: paint.green } : { text: "no", paint: paint.yellow },
    String(users),
  ]);
  const holds = top.controllers.flatMap(({ name, holds }) =>
    holds.map((hold) => [
      name,
      hold.name ?? hold.type,
      hold.type === "batched" ? `${hold.keys} of ${hold.size}` : String(hold.keys),
      hold.type === "batched" ? "when the batch is full" : windowText(hold, top.at),
      releaseText(hold, top.at),
    ]),
  );
  return [
    `${paint.bold(head)}\n${problemLines(top, paint).join("")}`,
    controllers.length === 0 ? "no controllers\n" : columns([headerRow(titles, paint), ...controllers]),
    ...(holds.length === 0
      ? []
      : [columns([headerRow(["CONTROLLER", "STRATEGY", "HELD", "RELEASED", "LATEST"], paint), ...holds])]),
    ...(informers.length === 0
      ? []
      : [columns([headerRow(["CACHE", "OBJECTS", "SYNCED", "USERS"], paint), ...informers])]),
  ].join("\n");
}

/** Lines about health, alerts and findings, if there is something to say. */
function problemLines({ health, alerts, findings }: Top, paint: Colors): readonly string[] {
  const failed = health?.checks.filter(({ ok }) => !ok) ?? [];
  const reasons = failed.map(({ name, message }) => (message === "" ? name : `${name}: ${message}`));
  const color = health?.status === "unhealthy" ? paint.red : paint.yellow;
  return [
    ...(health === undefined || failed.length === 0
      ? []
      : [`${color(`${health.status}: ${cellText(reasons.join("; "))}`)}\n`]),
    ...alerts.map(({ message }) => `${paint.red(`alert: ${cellText(message)}`)}\n`),
    ...findings.slice(0, maxFindings).map(({ message }) => `${paint.yellow(cellText(message))}\n`),
    ...(findings.length > maxFindings
      ? [paint.dim(`and ${findings.length - maxFindings} more findings: fettle findings\n`)]
      : []),
  ];
}

function stateCell({ atWork, paused, pausedObjects }: Top["controllers"][number], paint: Colors): TableCell {
  if (paused) return { text: "paused", paint: paint.yellow };
  if (!atWork) return { text: "standby", paint: paint.dim };
  return pausedObjects.length === 0
    ? { text: "active", paint: paint.green }
    : { text: `${pausedObjects.length} paused`, paint: paint.yellow };
}

/** Number that is red unless it is 0. */
function problemCell(text: string, { red }: Colors): TableCell {
  return text === "0" ? text : { text, paint: red };
}

function bytes(count: number): string {
  const mebibytes = count / 2 ** 20;
  return mebibytes < 1024 ? `${mebibytes.toFixed(0)} MiB` : `${(mebibytes / 1024).toFixed(1)} GiB`;
}

function rate(perSecond: number): string {
  return perSecond === 0 ? "0" : perSecond < 10 ? perSecond.toFixed(1) : perSecond.toFixed(0);
}

function time(milliseconds: number): string {
  if (milliseconds < 1) return milliseconds === 0 ? "0ms" : "<1ms";
  if (milliseconds < 1000) return `${milliseconds.toFixed(0)}ms`;
  return milliseconds < 120_000 ? `${(milliseconds / 1000).toFixed(1)}s` : formatAge(milliseconds);
}
