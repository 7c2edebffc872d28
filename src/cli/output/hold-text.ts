import { formatAge } from "../../model/core.js";
import type { Top } from "../../plane/management/contract.js";

type StrategyHold = Top["controllers"][number]["holds"][number];

/**
 * Describes how long a strategy holds an object back.
 *
 * @example
 * holdText(hold, Date.now()); // "waits for the window 02:00–03:00 UTC (scheduled), in 5h10m"
 */
export function holdText(hold: StrategyHold, now: number): string {
  const { type, name = type } = hold;
  if (type === "batched") return `${name}: ${hold.keys} of ${hold.size}, released ${releaseText(hold, now)}`;
  if (!Number.isFinite(hold.until)) return `waits for a window that never opens (${name})`;
  return `waits for the window ${windowText(hold, now)} (${name}), ${releaseText(hold, now)}`;
}

/** Time until objects are released: `in 12s`. */
export function releaseText({ until }: StrategyHold, now: number): string {
  // Infinity is null in JSON.
  return Number.isFinite(until) ? `in ${formatAge(Math.max(0, until - now))}` : "never";
}

/** Opening and closing time of a window, in its time zone: `02:00–03:00 UTC`. */
export function windowText(
  { until, closes, timeZone = "UTC" }: Extract<StrategyHold, { readonly type: "scheduled" }>,
  now: number,
): string {
  if (!Number.isFinite(until)) return "never";
  const [day, opens] = local(until, timeZone);
  const date = day === local(now, timeZone)[0] ? "" : `${day} `;
  const end = closes === undefined ? "" : `–${local(closes, timeZone)[1]}`;
  return `${date}${opens}${end} ${timeZone}`;
}

/** Day and time of day. */
function local(at: number, timeZone: string): readonly [day: string, time: string] {
  const text = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }).format(
    at,
  );
  const [day = "", time = ""] = text.split(" ");
  return [day, time];
}
