import picocolors from "picocolors";
import { escapeText } from "../../model/diff/yaml-text.js";

/** Fields that stand before the text, in this order. */
const about = ["controller", "object"];

/**
 * Formats a line of JSON as a human-readable one.
 *
 *     12:30:01.250 warn  sites.demo.dev Site default/hello: the gateway did not answer  run=4f1c… reason=StepFailed
 */
export function logLine(json: string, color: boolean): string {
  let line: Record<string, unknown>;
  try {
    line = JSON.parse(json) as Record<string, unknown>;
  } catch {
    return json;
  }
  const { level, time, msg, err, ...fields } = line;
  const paint = picocolors.createColors(color);
  const tint =
    { debug: paint.dim, info: paint.green, warn: paint.yellow, error: paint.red }[String(level)] ?? String;
  const subject = about.flatMap((name) => (fields[name] === undefined ? [] : [show(fields[name])])).join(" ");
  const rest = Object.entries(fields).filter(([name]) => !about.includes(name));
  const parts = [
    paint.dim(String(time).slice(11, 23)),
    tint(String(level).padEnd(5)),
    (subject === "" ? "" : `${paint.bold(subject)}: `) + escapeText(typeof msg === "string" ? msg : ""),
    ...rest.map(([name, value]) => paint.dim(`${escapeText(name)}=${show(value)}`)),
  ];
  return `${parts.join(" ")}${errorText(err)}\n`;
}

function show(value: unknown): string {
  return escapeText(typeof value === "string" ? value : JSON.stringify(value));
}

/** An error with its stack, indented. */
function errorText(error: unknown): string {
  if (error === undefined || error === null) return "";
  if (typeof error !== "object") return ` err=${show(error)}`;
  const { stack, message, cause } = error as { stack?: string; message?: string; cause?: unknown };
  const text = (stack ?? message ?? JSON.stringify(error))
    .split("\n")
    .map((each) => `\n    ${escapeText(each)}`);
  const because =
    typeof cause === "object" && cause !== null ? (cause as { message?: string }).message : cause;
  return text.join("") + (because === undefined ? "" : `\n    because: ${show(because)}`);
}
