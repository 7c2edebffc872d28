import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Export of the package. */
export interface Exported {
  readonly name: string;
  readonly what: "function" | "class" | "constant" | "type" | "namespace";
  /** The first sentence of its doc comment; empty when it has none. */
  readonly summary: string;
  /** Superclass of a class. */
  readonly parent?: string | undefined;
}

const declarations = ["function", "class", "const", "let", "interface", "type", "enum"] as const;
type Declaration = (typeof declarations)[number];

const doc = String.raw`(?:/\*\*((?:(?!\*/)[\s\S])*)\*/\s*)?`;
const words = String.raw`(?:export )?(?:declare |abstract |async )*(${declarations.join("|")})\s*\*?\s*`;

/**
 * Exports of a source file. The compiler has no API for this, so it parses the few forms of exports in this repository,
 * and fails on a name it cannot find.
 */
export function exportsOf(file: string): readonly Exported[] {
  const source = readFileSync(file, "utf8");
  const found: Exported[] = [];
  for (const [, alias, from = ""] of source.matchAll(/^export \*(?: as (\w+))? from "([^"]+)";/gm)) {
    const target = sourceOf(file, from);
    if (alias === undefined) found.push(...exportsOf(target));
    else {
      const names = exportsOf(target).map(({ name }) => name);
      found.push({ name: alias, what: "namespace", summary: names.map((name) => `\`${name}\``).join(", ") });
    }
  }
  for (const [, list = "", from] of source.matchAll(/^export (?:type )?\{([^}]*)\}(?: from "([^"]+)")?;/gm)) {
    for (const item of list.split(",")) {
      const [name, alias] = item
        .trim()
        .replace(/^type /, "")
        .split(" as ");
      if (name === undefined || name === "") continue;
      const target = from === undefined ? importedFrom(file, source, name) : sourceOf(file, from);
      found.push({ ...declared(target, name), name: alias ?? name });
    }
  }
  const direct = new RegExp(`^export ${words.replace("(?:export )?", "")}(\\w+)`, "gm");
  for (const [, , name = ""] of source.matchAll(direct)) {
    if (!found.some((each) => each.name === name)) found.push(declared(file, name));
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function declared(file: string, name: string): Exported {
  const source = readFileSync(file, "utf8");
  const declaration = new RegExp(`${doc}^${words}${name}\\b(?:[^{=;]*? extends (\\w+))?`, "m");
  const [, comment, keyword, parent] = declaration.exec(source) ?? [];
  if (keyword !== undefined) {
    const what = whatIs(keyword as Declaration);
    return { name, what, summary: firstSentence(comment), parent: what === "class" ? parent : undefined };
  }
  const from = new RegExp(`\\{[^}]*\\b${name}\\b[^}]*\\} from "([^"]+)"`).exec(source)?.[1];
  if (from === undefined) throw new Error(`the declaration of ${name} was not found in ${file}`);
  return declared(sourceOf(file, from), name);
}

function importedFrom(file: string, source: string, name: string): string {
  const from = new RegExp(`^import (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from "([^"]+)"`, "m").exec(
    source,
  )?.[1];
  return from === undefined ? file : sourceOf(file, from);
}

function sourceOf(file: string, from: string): string {
  const path = join(dirname(file), from.replace(/\.js$/, ".ts"));
  if (!existsSync(path)) throw new Error(`${file} exports from ${from}, and there is no ${path}`);
  return path;
}

function whatIs(declaration: Declaration): Exported["what"] {
  if (declaration === "function" || declaration === "class") return declaration;
  return declaration === "interface" || declaration === "type" ? "type" : "constant";
}

/** The first sentence of a doc comment, as plain Markdown. */
export function firstSentence(comment = ""): string {
  const text = comment
    .replaceAll(/^\s*\*? ?/gm, "")
    .replaceAll(/\{@link (\w+)\}/g, "`$1`")
    .trim();
  const [paragraph = ""] = text.split(/\n\s*\n|^@/m);
  const [sentence = ""] = paragraph.replaceAll(/\s+/g, " ").split(/(?<=\.)\s(?=\S)/);
  return sentence.trim().replace(/[.:]$/, "");
}
