import { quote } from "../../../../model/object/quote.js";
import { durationFault } from "../../typed/check-types.js";

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** Minutes, hours, days of the month, months and days of the week. */
const bounds: readonly Bounds[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: weekdays },
];

/** First mistake in a schedule, as the cron library of Kubernetes words it; undefined when there is none. */
export function cronFault(schedule: string): string | undefined {
  const spec = schedule.replace(/^(?:CRON_)?TZ=\S* /, "");
  if (spec.startsWith("@")) return descriptorFault(spec);
  const fields = spec.trim().split(/\s+/);
  if (fields.length !== bounds.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`;
  }
  for (const [index, { min, max, names }] of bounds.entries()) {
    for (const range of (fields[index] ?? "").split(",")) {
      const fault = range === "" ? undefined : rangeFault(range, { min, max, names });
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function descriptorFault(spec: string): string | undefined {
  if (/^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/.test(spec)) return undefined;
  if (!spec.startsWith("@every ")) return `unrecognized descriptor: ${spec}`;
  const fault = durationFault(spec.slice("@every ".length));
  return fault === undefined ? undefined : `failed to parse duration ${spec}: ${fault}`;
}

/** Fault of `number | number-number | number/step`, where a number may be a name and `*` stands for all. */
function rangeFault(text: string, { min, max, names }: Bounds): string | undefined {
  const [range = "", step, ...moreSteps] = text.split("/");
  const ends = range.split("-");
  let [start, end] = [min, max];
  if (ends[0] !== "*" && ends[0] !== "?") {
    if (ends.length > 2) {
      const first = numberOf(ends[0] ?? "", min, names);
      return typeof first === "string" ? first : `too many hyphens: ${text}`;
    }
    const numbers = ends.map((each) => numberOf(each, min, names));
    const fault = numbers.find((each) => typeof each === "string");
    if (typeof fault === "string") return fault;
    start = Number(numbers[0]);
    end = Number(numbers[1] ?? (step === undefined ? start : max));
  }
  if (moreSteps.length > 0) return `too many slashes: ${text}`;
  const by = step === undefined ? 1 : numberOf(step, min, []);
  if (typeof by === "string") return by;
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${text}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return by === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

/** Parses a number or name; returns the fault of anything else. */
function numberOf(text: string, first: number, names: readonly string[]): number | string {
  const name = names.indexOf(text.toLowerCase());
  if (name >= 0) return first + name;
  if (/^[+-]?\d+$/.test(text)) {
    const number = Number(text);
    return number < 0 ? `negative number (${number}) not allowed: ${text}` : number;
  }
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: invalid syntax`;
}
