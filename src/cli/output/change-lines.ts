import picocolors from "picocolors";
import type { FieldChange, Json, ValuePath } from "../../model/core.js";
import { scalarText, stringText, writeYamlValue } from "../../model/diff/yaml-text.js";

/** Maximum number of lines of one value. */
const maxLines = 30;

/**
 * Formats changes without the documents, one per line: `~ spec.pages: 1 → 2`, `+ spec.theme: dark`. Multi-line values follow
 * their path.
 */
export function changeLines(changes: readonly FieldChange[], colors: boolean): readonly string[] {
  const paint = picocolors.createColors(colors);
  return changes.flatMap((change) => {
    const name = pathText(change.path);
    switch (change.kind) {
      case "add":
        return valueLines("+", name, change.to).map((line) => paint.green(line));
      case "remove":
        return valueLines("-", name, change.from).map((line) => paint.red(line));
      case "change": {
        const [from, to] = [scalarText(change.from), scalarText(change.to)];
        if (from !== undefined && to !== undefined && from.length + to.length < 100) {
          return [`${paint.yellow(`~ ${name}:`)} ${paint.red(from)} → ${paint.green(to)}`];
        }
        return [
          ...valueLines("-", name, change.from).map((line) => paint.red(line)),
          ...valueLines("+", name, change.to).map((line) => paint.green(line)),
        ];
      }
    }
  });
}

function valueLines(sign: "+" | "-", name: string, value: Json): readonly string[] {
  const scalar = scalarText(value);
  const lead = name === "" ? "" : `${name}:`;
  if (scalar !== undefined) return [`${sign} ${lead} ${scalar}`.replace("  ", " ")];
  const lines: string[] = [];
  const indent = name === "" ? "" : "  ";
  writeYamlValue(value, indent, indent, (line) => lines.push(`${sign} ${line}`));
  const visible =
    lines.length <= maxLines
      ? lines
      : [...lines.slice(0, maxLines), `${sign} ${indent}… ${lines.length - maxLines} more lines`];
  return name === "" ? visible : [`${sign} ${lead}`, ...visible];
}

/** Path as text: `spec.containers[0].image`; names with dots are quoted. */
export function pathText(path: ValuePath): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[\w$-]+$/.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${stringText(part).startsWith('"') ? stringText(part) : JSON.stringify(part)}]`;
  }
  return text;
}
