import { compileJsonPath, jsonPathText } from "../../server/resources/json-path.js";
import { UsageError } from "../command/command.js";

/** Text with JSON paths in braces: `{.metadata.name}{"\n"}`, `{range .items[*]}{.spec.title} {end}`. */
export interface Template {
  render(object: unknown): string;
}

type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "path"; find(object: unknown): readonly unknown[] }
  | { readonly type: "range"; find(object: unknown): readonly unknown[]; readonly parts: Part[] };

/**
 * Parses a template in the syntax of `kubectl get -o jsonpath=`.
 *
 * @throws {UsageError} when a brace or an `{end}` is missing, or a path is invalid.
 */
export function compileTemplate(source: string): Template {
  const text = source.includes("{") ? source : `{${source}}`;
  const root: Part[] = [];
  const open: Part[][] = [root];
  for (const piece of piecesOf(text)) {
    const parts = open.at(-1) ?? root;
    if (piece.type === "text") parts.push(piece);
    else if (/^range\s/.test(piece.inside)) {
      const inner: Part[] = [];
      parts.push({ type: "range", find: pathIn(piece.inside.slice(5)), parts: inner });
      open.push(inner);
    } else if (piece.inside === "end") {
      if (open.length === 1) throw new UsageError(`${JSON.stringify(source)} has an {end} without a {range}`);
      open.pop();
    } else if (/^["']/.test(piece.inside)) parts.push({ type: "text", text: literal(piece.inside) });
    else parts.push({ type: "path", find: pathIn(piece.inside) });
  }
  if (open.length > 1) throw new UsageError(`${JSON.stringify(source)} has a {range} without an {end}`);
  return { render: (object) => render(root, object) };
}

/** Compiles a path whose braces and first dot are optional, as in `--sort-by` and `custom-columns`. */
export function compileRelaxedPath(source: string): (object: unknown) => readonly unknown[] {
  const bare = source.trim().replace(/^\{(.*)\}$/s, "$1");
  return pathIn(/^[.[$@]/.test(bare) ? bare : `.${bare}`);
}

function render(parts: readonly Part[], object: unknown): string {
  return parts
    .map((part) => {
      if (part.type === "text") return part.text;
      const found = part.find(object);
      if (part.type === "range") return found.map((item) => render(part.parts, item)).join("");
      return found.map((value) => jsonPathText(value as never)).join(" ");
    })
    .join("");
}

function pathIn(path: string): (object: unknown) => readonly unknown[] {
  try {
    const compiled = compileJsonPath(path.trim());
    return (object) => compiled.find(object);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`invalid JSON path ${JSON.stringify(path.trim())}: ${why}`);
  }
}

type Piece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "braces"; readonly inside: string };

/** Splits at braces, except those within quotes. */
function* piecesOf(text: string): Generator<Piece> {
  let at = 0;
  while (at < text.length) {
    const start = text.indexOf("{", at);
    if (start === -1) return yield { type: "text", text: text.slice(at) };
    if (start > at) yield { type: "text", text: text.slice(at, start) };
    const end = closing(text, start);
    if (end === -1) throw new UsageError(`${JSON.stringify(text)} has an unclosed {`);
    yield { type: "braces", inside: text.slice(start + 1, end).trim() };
    at = end + 1;
  }
}

function closing(text: string, start: number): number {
  let quote = "";
  for (let at = start + 1; at < text.length; at++) {
    const sign = text[at] ?? "";
    if (quote !== "") {
      if (sign === "\\") at++;
      else if (sign === quote) quote = "";
    } else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === "}") return at;
  }
  return -1;
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  '"': '"',
  "'": "'",
};

function literal(quoted: string): string {
  const inside = quoted.length > 1 && quoted.at(-1) === quoted[0] ? quoted.slice(1, -1) : quoted.slice(1);
  return inside.replaceAll(/\\(.)/gs, (_, sign: string) => escapes[sign] ?? sign);
}
