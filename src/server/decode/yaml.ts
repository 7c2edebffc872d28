import type { CST, Document, LineCounter } from "yaml";
import type { Body, FieldValidation } from "./decoded-body.js";
import { asBadRequest } from "./bad-request.js";
import { DecodeError } from "./decode-error.js";
import { type DecodeLimits, defaultLimits } from "./decode-limits.js";
import { parseJson, textOf } from "./json.js";
import { valueOf, type Yaml } from "./yaml-values.js";

export interface YamlOptions {
  readonly limits?: Partial<DecodeLimits> | undefined;
  /** Ignore, which is the default here, does not look for keys that a map has twice. */
  readonly fieldValidation?: FieldValidation | undefined;
}

/**
 * Reads a YAML body of one document as Kubernetes does (YAML 1.1, through JSON). What is JSON is read as JSON, which is
 * a lot quicker: `kubectl apply --server-side` sends JSON and calls it YAML.
 *
 * Duplicate keys are reported as Kubernetes does it: for Warn a line each, for Strict all in one text.
 *
 * @throws {ApiError} 400 for what cannot be read, 413 for what is too much.
 */
export async function decodeYaml(bytes: Uint8Array, options: YamlOptions = {}): Promise<Body> {
  try {
    return await parseYaml(bytes, options);
  } catch (error) {
    throw asBadRequest(error, (problem) => problem);
  }
}

/** {@link decodeYaml}, throwing {@link DecodeError}. */
export async function parseYaml(bytes: Uint8Array, options: YamlOptions): Promise<Body> {
  const { fieldValidation = "Ignore" } = options;
  const limits: DecodeLimits = { ...defaultLimits, ...definedOnly(options.limits) };
  const text = textOf(bytes);
  const asJson = readAsJson(text, limits, fieldValidation !== "Ignore");
  if (asJson !== undefined) return asJson;

  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const document = onlyDocument(yaml, tokensOf(yaml, text, lines, limits), lines);
  if (document === undefined) return { object: null };
  const { value: object, duplicates } = valueOf(yaml, document, { text, lines }, limits);
  if (fieldValidation === "Ignore" || duplicates.length === 0) return { object };
  if (fieldValidation === "Warn") return { object, duplicates };
  return { object, duplicates: [`yaml: unmarshal errors:\n  ${duplicates.join("\n  ")}`] };
}

function definedOnly(limits: Partial<DecodeLimits> = {}): Partial<DecodeLimits> {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

/**
 * The body if it is JSON; undefined when the YAML parser has to look at it, also for the line numbers of duplicates.
 * What is JSON but cannot be taken (numbers, depth) cannot be taken as YAML either.
 */
function readAsJson(text: string, limits: DecodeLimits, duplicates: boolean): Body | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const body = parseJson(text, { limits, duplicates });
    return body.duplicates === undefined ? body : undefined;
  } catch (error) {
    if (error instanceof DecodeError && error.problem === "syntax") return undefined;
    throw error;
  }
}

const controlCharacter = /[^\P{Cc}\t\n\r\u0085]/u;

/** Parses as far as nothing recursive happens, and gives up where too much would come of it. */
function tokensOf(yaml: Yaml, text: string, lines: LineCounter, limits: DecodeLimits): CST.Token[] {
  if (controlCharacter.test(text))
    throw new DecodeError("syntax", "yaml: control characters are not allowed");
  const parser = new yaml.Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let count = 0;
  lines.addNewLine(0);
  for (const lexeme of new yaml.Lexer().lex(text)) {
    if (++count > limits.yamlTokens) {
      throw new DecodeError(
        "limit",
        `a YAML body may have at most ${limits.yamlTokens} words and signs; send it as JSON`,
      );
    }
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > limits.yamlDepth) throw tooDeep(limits);
  }
  for (const token of parser.end()) tokens.push(token);
  checkTokens(tokens, lines, limits);
  return tokens;
}

/**
 * The rest of the parser recurses, and close to the end of the stack V8 gives up the whole process, not only the call:
 * so it never gets to see what is too deep. It also drops, without a word, what stands behind an explicit key (`? key`)
 * but is no value of it.
 */
function checkTokens(roots: readonly CST.Token[], lines: LineCounter, limits: DecodeLimits): void {
  let level: CST.Token[] = [...roots];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limits.yamlDepth) throw tooDeep(limits);
    const below: CST.Token[] = [];
    for (const token of level) {
      if (token.type === "document" && token.value) below.push(token.value);
      if (!("items" in token)) continue;
      for (const { key, sep, value } of token.items) {
        if (key) below.push(key);
        if (!value) continue;
        below.push(value);
        if (token.type === "block-map" && !sep?.some(({ type }) => type === "map-value-ind")) {
          const { line } = lines.linePos(value.offset);
          throw new DecodeError("syntax", `yaml: line ${line}: did not find expected key`);
        }
      }
    }
    level = below;
  }
}

function tooDeep({ yamlDepth }: DecodeLimits): DecodeError {
  return new DecodeError(
    "value",
    `yaml: exceeded max depth: maps and lists may stand in each other ${yamlDepth} levels deep`,
  );
}

/** The one document that is not empty. Kubernetes takes the first and says nothing of the others, which helps nobody. */
function onlyDocument(
  yaml: Yaml,
  tokens: readonly CST.Token[],
  lines: LineCounter,
): Document.Parsed | undefined {
  const composer = new yaml.Composer({
    // Every scalar stays a text, every tag and every duplicate as it is: the rules are Kubernetes', not the parser's.
    schema: "failsafe",
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  let only: Document.Parsed | undefined;
  for (const document of composer.compose(tokens)) {
    const [error] = document.errors;
    if (error)
      throw new DecodeError("syntax", `yaml: line ${lines.linePos(error.pos[0]).line}: ${error.message}`);
    if (isEmpty(yaml, document)) continue;
    if (only) {
      const { line } = lines.linePos(document.contents?.range[0] ?? 0);
      throw new DecodeError(
        "value",
        `yaml: line ${line}: the body has more than one document; send each object in a request of its own`,
      );
    }
    only = document;
  }
  return only;
}

function isEmpty({ isScalar }: Yaml, { contents }: Document.Parsed): boolean {
  if (contents === null) return true;
  return isScalar(contents) && contents.source === "" && contents.type === "PLAIN" && !contents.tag;
}
