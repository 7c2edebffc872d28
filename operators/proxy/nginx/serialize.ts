import type { Origin } from "../translate/configuration.js";
import {
  argumentModes,
  entryModes,
  type Argument,
  type ArgumentMode,
  type Directive,
  type Entry,
  type Text,
} from "./directive.js";
import { quote, RefusedValue, type Refusals } from "./refusal.js";

/** Text of a configuration file. */
export interface Serialized {
  readonly text: string;
  /** Origin of each line, beginning with the first one. */
  readonly origins: readonly (Origin | undefined)[];
}

/** Variable that holds a dollar sign: nginx has no escape for it where it expands variables. */
export const dollarVariable = "fettle_dollar";

/** nginx reads a file in pieces of 4096 bytes, and an argument has to fit into one. */
const maxArgumentBytes = 4094;

const bareWord = /^[A-Za-z0-9_.,:%=*/@^!()-]+$/;
const variableName = /^[a-z0-9_]+$/;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
const controlCharacter = /[\u0000-\u001f\u007f]/;

/**
 * Writes directives, one per line. Throws a {@link RefusedValue} for text that cannot be written, or leaves that to `refusals`.
 */
export function serialize(directives: readonly Directive[], refusals?: Refusals): Serialized {
  const lines: string[] = [];
  const origins: (Origin | undefined)[] = [];
  writeBlock(directives, undefined, 0, undefined);
  return { text: lines.map((line) => `${line}\n`).join(""), origins };

  function writeBlock(
    content: readonly (Directive | Entry)[],
    parent: Directive | undefined,
    depth: number,
    inherited: Origin | undefined,
  ): void {
    for (const item of content) {
      const origin = item.origin ?? inherited;
      const write = (): void =>
        "key" in item
          ? writeLine(`${writeEntry(item, parent, origin)};`, depth, origin)
          : writeDirective(item, depth, origin);
      if (refusals === undefined) write();
      else refusals.collect(write);
    }
  }

  function writeDirective(item: Directive, depth: number, origin: Origin | undefined): void {
    const modes: readonly ArgumentMode[] = argumentModes[item.name];
    const words = item.arguments.map((argument, position) => {
      return writeArgument(argument, modes[position] ?? modes.at(-1) ?? "refused", origin);
    });
    const line = [item.name, ...words].join(" ");
    if (item.block === undefined) return writeLine(`${line};`, depth, origin);
    writeLine(`${line} {`, depth, origin);
    writeBlock(item.block, item, depth + 1, origin);
    writeLine("}", depth, origin);
  }

  function writeLine(line: string, depth: number, origin: Origin | undefined): void {
    lines.push("  ".repeat(depth) + line);
    origins.push(origin);
  }
}

function writeEntry(
  { key, value }: Entry,
  parent: Directive | undefined,
  origin: Origin | undefined,
): string {
  const mode = parent === undefined ? undefined : (entryModes as Record<string, ArgumentMode>)[parent.name];
  if (mode === undefined) throw new Error(`a block of ${parent?.name ?? "a file"} has no entries`);
  const written = writeKey(key, origin);
  return `${written} ${writeArgument(value, mode, origin)}`;
}

function writeKey(key: Entry["key"], origin: Origin | undefined): string {
  switch (key.type) {
    case "word":
      return writeArgument(key, "literal", origin);
    case "pattern":
      return quoted(`~${key.source}`, origin);
    case "empty":
      return '""';
  }
}

function writeArgument(argument: Argument, mode: ArgumentMode, origin: Origin | undefined): string {
  switch (argument.type) {
    case "word":
      if (bareWord.test(argument.word)) return argument.word;
      throw new Error(`${quote(argument.word)} is not a bare word: pass it as text`);
    case "pattern":
      // In an expanded argument, the `$` of a pattern would begin a variable.
      if (mode !== "literal") throw new Error(`the pattern ${quote(argument.source)} is in a wrong place`);
      return quoted(argument.source, origin);
    case "text":
      return writeText(argument, mode, origin);
  }
}

function writeText({ parts }: Text, mode: ArgumentMode, origin: Origin | undefined): string {
  const [first] = parts;
  if (parts.length === 1 && typeof first === "object" && mode === "expanded")
    return `$${checkedVariable(first.variable)}`;
  let content = "";
  for (const part of parts) {
    if (typeof part === "object") {
      if (mode !== "expanded")
        throw new Error(`the variable ${part.variable} is in a place without variables`);
      content += expansion(part.variable);
    } else if (mode === "expanded") content += escaped(part, origin).replaceAll("$", `\${${dollarVariable}}`);
    else if (mode === "refused" && part.includes("$"))
      throw new RefusedValue(`${quote(part)} contains "$", which has a meaning for nginx there`, origin);
    else content += escaped(part, origin);
  }
  return delimited(content, origin);
}

function quoted(value: string, origin: Origin | undefined): string {
  return delimited(escaped(value, origin), origin);
}

function escaped(value: string, origin: Origin | undefined): string {
  const control = controlCharacter.exec(value);
  if (control !== null) {
    const code = control[0].charCodeAt(0).toString(16).padStart(2, "0");
    throw new RefusedValue(`${quote(value)} contains a control character (0x${code}); remove it`, origin);
  }
  if (/\p{Surrogate}/u.test(value)) throw new RefusedValue(`${quote(value)} is not valid Unicode`, origin);
  return value.replaceAll(/[\\"]/g, String.raw`\$&`);
}

function delimited(content: string, origin: Origin | undefined): string {
  if (Buffer.byteLength(content) <= maxArgumentBytes) return `"${content}"`;
  const problem = `${quote(content)} is too long: nginx reads at most ${maxArgumentBytes} bytes with escapes`;
  throw new RefusedValue(problem, origin);
}

/** Form of a variable inside of text. A group of a regular expression is one digit, for which nginx knows no braces. */
function expansion(name: string): string {
  return /^[1-9]$/.test(name) ? `$${name}` : `\${${checkedVariable(name)}}`;
}

function checkedVariable(name: string): string {
  if (variableName.test(name)) return name;
  throw new Error(`${quote(name)} is not the name of a variable`);
}
