import { formatAge } from "../../model/core.js";
import type { Finding } from "../../runtime/observe/findings/finding.js";
import { cellText, type Colors } from "../terminal/columns.js";

/** Formats suspicious behaviour of controllers: what happens, since when, and what to do. */
export function findingText(finding: Finding, now: number, paint: Colors): string {
  const { message, controller, count, since, at, paths = [], managers = [], causes = [] } = finding;
  const lines: (readonly [string, string])[] = [
    ["controller", controller],
    ["seen", `${count} times, first ${formatAge(now - since)} ago, last ${formatAge(now - at)} ago`],
    ...(paths.length === 0 ? [] : ([["fields", paths.join(", ")]] as const)),
    ...(managers.length === 0 ? [] : ([["writers", managers.join(", ")]] as const)),
    ...(causes.length === 0 ? [] : ([["cause", causes.join(", ")]] as const)),
    ["to do", adviceOf(finding)],
  ];
  return [
    `${paint.yellow(cellText(message))}\n`,
    ...lines.map(([name, text]) => `  ${paint.cyan(name.padEnd(10))} ${cellText(text)}\n`),
  ].join("");
}

function adviceOf({ type, object, paths = [], causes = [] }: Finding): string {
  const [kind = "", key = ""] = object.split(" ");
  const word = `${kind.toLowerCase()}/${key.slice(key.indexOf("/") + 1)}`;
  if (type === "fight")
    return `let one writer own ${paths.length === 1 ? "the field" : "the fields"}; fettle history ${word} shows who wrote what`;
  if (causes.some((cause) => cause.includes("requeueing itself")))
    return `requeue after a delay, or wait for a change; fettle why ${word} shows the reason of each run`;
  return `fettle why ${word} shows what each run wrote; write a value only if it differs, and no time stamps or counters`;
}
