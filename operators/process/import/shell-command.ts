import { escapeReferences } from "./manifest.js";

/** Command of a process that was written as a line for a shell. */
export interface ShellCommand {
  readonly command: string[];
  /** Variables that were assigned before the program, as in `NODE_ENV=production node web.js`. */
  readonly env: ReadonlyMap<string, string>;
}

/**
 * Converts a line for a shell. A line without shell syntax becomes a list of words, so that no shell runs beside the process; any
 * other is run by `/bin/sh`, which is replaced by the last program of the line where that changes nothing else.
 *
 * @example
 * shellCommand("node web.js --title 'Hello, world'").command; // ["node", "web.js", "--title", "Hello, world"]
 * shellCommand("cd web && npm start").command; // ["/bin/sh", "-c", "cd web && exec npm start"]
 */
export function shellCommand(line: string): ShellCommand {
  const tokens = tokenize(line);
  const words = tokens === undefined ? undefined : plainWords(tokens);
  if (words === undefined) {
    const script = tokens === undefined ? line : withExec(line, tokens);
    return { command: ["/bin/sh", "-c", escapeReferences(script)], env: new Map() };
  }
  const env = new Map<string, string>();
  let first = 0;
  for (; first < words.length; first++) {
    const [, name, value] = assignment.exec(words[first] ?? "") ?? [];
    if (name === undefined || value === undefined) break;
    env.set(name, value);
  }
  return { command: words.slice(first).map(escapeReferences), env };
}

/** Converts a line for a shell to words alone, without variables; empty for an empty line. */
export function shellWords(line: string): readonly string[] {
  if (line.trim() === "") return [];
  const { command, env } = shellCommand(line);
  return env.size === 0 ? command : ["/bin/sh", "-c", escapeReferences(line)];
}

/**
 * Splits a text into words as a POSIX shell does, but without any expansion: operators are ordinary characters, as in `command` of
 * Docker Compose. Undefined if a quote is not closed.
 */
export function splitWords(text: string): readonly string[] | undefined {
  return tokenize(text, { operators: false })?.map(({ text }) => text);
}

interface Token {
  readonly type: "word" | "operator";
  /** Word without quotes, or operator. */
  readonly text: string;
  /** Offset in the line. */
  readonly start: number;
  /** True if the word has to be expanded by a shell. */
  readonly isExpanded: boolean;
  /** True if a part of the word is quoted, so that it is no keyword. */
  readonly isQuoted: boolean;
}

const assignment = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s;
const operator = /&&|\|\||;;|>>|<<-?|>&|<&|<>|>\||[|&;()<>\n]/y;
const blank = /[ \t\r]/;

/** Splits a line into words and operators. Undefined if a quote is not closed. */
function tokenize(line: string, { operators = true } = {}): readonly Token[] | undefined {
  const tokens: Token[] = [];
  let at = 0;
  while (at < line.length) {
    const char = line[at] ?? "";
    if (blank.test(char) || (!operators && char === "\n")) {
      at++;
      continue;
    }
    operator.lastIndex = at;
    const [found] = (operators ? operator.exec(line) : null) ?? [];
    if (found !== undefined) {
      tokens.push({ type: "operator", text: found, start: at, isExpanded: false, isQuoted: false });
      at += found.length;
      continue;
    }
    const word = readWord(line, at, operators);
    if (word === undefined) return undefined;
    tokens.push(word.token);
    at = word.end;
  }
  return tokens;
}

/** Characters that make a shell expand the word that contains them. `#` and `~` do so at its beginning. */
const expanding = /[$`*?[\]{}]/;

function readWord(
  line: string,
  start: number,
  operators: boolean,
): { readonly token: Token; readonly end: number } | undefined {
  let text = "";
  let isExpanded = line[start] === "#" || line[start] === "~";
  let isQuoted = false;
  let at = start;
  for (; at < line.length; at++) {
    const char = line[at] ?? "";
    operator.lastIndex = at;
    if (blank.test(char) || char === "\n" || (operators && operator.test(line))) break;
    if (char === "\\") {
      isQuoted = true;
      const next = line[++at];
      // A line that ends with a backslash goes on in the next one, which does not exist here.
      if (next === undefined) return undefined;
      if (next !== "\n") text += next;
    } else if (char === "'") {
      isQuoted = true;
      const end = line.indexOf("'", at + 1);
      if (end === -1) return undefined;
      text += line.slice(at + 1, end);
      at = end;
    } else if (char === '"') {
      isQuoted = true;
      const quoted = readDoubleQuoted(line, at + 1);
      if (quoted === undefined) return undefined;
      text += quoted.text;
      isExpanded ||= quoted.isExpanded;
      at = quoted.end;
    } else {
      isExpanded ||= expanding.test(char);
      // `HOME=~` and `PATH=a:~/b` are expanded too.
      isExpanded ||= char === "~" && /[=:]/.test(line[at - 1] ?? "");
      text += char;
    }
  }
  return { token: { type: "word", text, start, isExpanded, isQuoted }, end: at };
}

function readDoubleQuoted(
  line: string,
  start: number,
): { readonly text: string; readonly isExpanded: boolean; readonly end: number } | undefined {
  let text = "";
  let isExpanded = false;
  for (let at = start; at < line.length; at++) {
    const char = line[at] ?? "";
    const next = line[at + 1] ?? "";
    if (char === '"') return { text, isExpanded, end: at };
    if (char === "\\" && '$`"\\'.includes(next) && next !== "") {
      text += next;
      at++;
    } else if (char === "\\" && next === "\n") at++;
    else {
      isExpanded ||= char === "$" || char === "`";
      text += char;
    }
  }
  return undefined;
}

/** Words that mean something else than a program in the place of one. */
const keywords = new Set(
  "! { } if then else elif fi for while until do done case esac in function time select [[".split(" "),
);
/** Commands that only a shell can run, because they change the shell itself. */
const builtins = new Set(
  ". : [ alias bg break cd command continue eval exit export fc fg getopts hash jobs local read readonly return set shift source times trap type ulimit umask unalias unset wait".split(
    " ",
  ),
);

/** Words of a line that a shell would run without any change to them; undefined if there is more to it. */
function plainWords(tokens: readonly Token[]): readonly string[] | undefined {
  if (tokens.some(({ type, isExpanded }) => type === "operator" || isExpanded)) return undefined;
  const first = tokens.findIndex(({ text }) => !assignment.test(text));
  const program = tokens[first];
  if (program === undefined || !isProgram(program)) return undefined;
  const words = tokens.map(({ text }) => text);
  // `exec` only says that the shell should not stay.
  if (program.text !== "exec") return words;
  const isPlain = first === 0 && words[1] !== undefined && !words[1].startsWith("-");
  return isPlain && !assignment.test(words[1] ?? "") ? words.slice(1) : undefined;
}

function isProgram({ type, text, isQuoted }: Token): boolean {
  return type === "word" && text !== "" && !builtins.has(text) && (isQuoted || !keywords.has(text));
}

/** Separators after which the last program can replace the shell. */
const separators = new Set(["&&", "||", ";", "\n"]);
const redirections = new Set([">", ">>", "<", "<>", ">|", ">&", "<&"]);

/**
 * Adds `exec` before the last program of a script, so that signals and exit codes are those of the program, and no shell stays in
 * memory. Scripts with pipelines, background jobs, keywords or traps need their shell to the end.
 */
function withExec(line: string, tokens: readonly Token[]): string {
  // Operators inside of `…` and ${…} do not separate commands of this script.
  const isOther = ({ type, text }: Token) =>
    type === "operator"
      ? !separators.has(text) && !redirections.has(text)
      : text.includes("`") || /\$\{[^}]*$/.test(text);
  if (tokens.some(isOther)) return line;
  const beginnings = tokens.flatMap((token, index) => {
    const before = tokens[index - 1];
    if (token.type === "operator") return [];
    return before === undefined || separators.has(before.text) ? [index] : [];
  });
  const isUnsafe = (index: number) => {
    const token = tokens[index];
    if (token === undefined) return true;
    return (
      token.text === "trap" || token.text.startsWith("#") || (!token.isQuoted && keywords.has(token.text))
    );
  };
  if (beginnings.some(isUnsafe)) return line;
  const last = beginnings.at(-1) ?? 0;
  const rest = tokens.slice(last);
  // Comments, and separators at the end, such as `a; b;`.
  if (rest.some(({ text, type }) => text.startsWith("#") || (type === "operator" && separators.has(text)))) {
    return line;
  }
  const program = rest.find(({ text }) => !assignment.test(text));
  if (program === undefined || !isProgram(program) || program.text === "exec") return line;
  return `${line.slice(0, program.start)}exec ${line.slice(program.start)}`;
}
