import { dateAt, millisecondsOf } from "../values/time.js";
import { CelError, type CelDuration, type CelTimestamp, type CelValue } from "../values/value.js";
import { metered, overload, type Overload } from "./function.js";

const day = 86_400_000;
/** Work of a time zone conversion. */
const zoneWork = 200;

const parts: readonly (readonly [name: string, id: string, read: (date: Date) => number])[] = [
  ["getFullYear", "timestamp_to_year", (date) => date.getUTCFullYear()],
  ["getMonth", "timestamp_to_month", (date) => date.getUTCMonth()],
  ["getDayOfYear", "timestamp_to_day_of_year", dayOfYear],
  ["getDayOfMonth", "timestamp_to_day_of_month", (date) => date.getUTCDate() - 1],
  ["getDate", "timestamp_to_day_of_month_1_based", (date) => date.getUTCDate()],
  ["getDayOfWeek", "timestamp_to_day_of_week", (date) => date.getUTCDay()],
  ["getHours", "timestamp_to_hours", (date) => date.getUTCHours()],
  ["getMinutes", "timestamp_to_minutes", (date) => date.getUTCMinutes()],
  ["getSeconds", "timestamp_to_seconds", (date) => date.getUTCSeconds()],
];

function dayOfYear(date: Date): number {
  const start = new Date(0);
  start.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - start.getTime()) / day);
}

const spans: readonly (readonly [name: string, id: string, nanoseconds: bigint])[] = [
  ["getHours", "duration_to_hours", 3_600_000_000_000n],
  ["getMinutes", "duration_to_minutes", 60_000_000_000n],
  ["getSeconds", "duration_to_seconds", 1_000_000_000n],
  ["getMilliseconds", "duration_to_milliseconds", 1_000_000n],
];

/** Fields of timestamps, in UTC or a time zone, and of durations. */
export const timeFunctions: readonly Overload[] = [
  ...parts.flatMap(([name, id, read]) => {
    const at = (time: CelTimestamp, zone = "UTC"): CelValue => {
      const date = dateAt(time, zone);
      return date ? BigInt(read(date)) : new CelError(`unknown time zone ${zone}`);
    };
    return [
      overload(name, id, "timestamp.(): int", at),
      metered(name, `${id}_with_tz`, "timestamp.(string): int", (meter, time: CelTimestamp, zone: string) => {
        meter.work(zoneWork);
        return at(time, zone);
      }),
    ];
  }),
  overload("getMilliseconds", "timestamp_to_milliseconds", "timestamp.(): int", millisecondsOf),
  metered(
    "getMilliseconds",
    "timestamp_to_milliseconds_with_tz",
    "timestamp.(string): int",
    (meter, time: CelTimestamp, zone: string) => {
      meter.work(zoneWork);
      return dateAt(time, zone) ? millisecondsOf(time) : new CelError(`unknown time zone ${zone}`);
    },
  ),
  ...spans.map(([name, id, size]) =>
    overload(name, id, "duration.(): int", (span: CelDuration) => span.nanoseconds / size),
  ),
];
