import picocolors from "picocolors";
import { formatAge } from "../../../model/core.js";
import type { Top } from "../../../plane/management/contract.js";
import { columns } from "../../terminal/columns.js";

/** Formats the load of a control plane: queues, runs, memory. */
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
    each.name,
    stateOf(each),
    `${each.queue.running}/${each.concurrency}`,
    String(each.queue.ready),
    String(each.queue.delayed),
    String(each.queue.dead),
    rate(each.runsPerSecond),
    rate(each.errorsPerSecond),
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
    synced ? "yes" : "no",
    String(users),
  ]);
  return [
    `${paint.bold(head)}\n`,
    controllers.length === 0 ? "no controllers\n" : columns([titles, ...controllers]),
    ...(informers.length === 0 ? [] : [columns([["CACHE", "OBJECTS", "SYNCED", "USERS"], ...informers])]),
  ].join("\n");
}

function stateOf({ atWork, paused, pausedObjects }: Top["controllers"][number]): string {
  if (paused) return "paused";
  if (!atWork) return "standby";
  return pausedObjects.length === 0 ? "active" : `${pausedObjects.length} paused`;
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
