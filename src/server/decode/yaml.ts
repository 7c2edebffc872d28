import type { CST, Document, LineCounter } from "yaml";
import type { Body, FieldValidation } from "./decoded-body.js";
import { asBadRequest } from "./bad-request.js";
import { DecodeError } from "./decode-error.js";
import { type DecodeLimits, defaultDecodeLimits, type NextDecodingStep, yamlCost } from "./decode-limits.js";
import { scanThenParse, decodeBodyText } from "./json.js";
import { valueOf, type Yaml } from "./yaml-values.js";

export interface YamlOptions {
  readonly limits?: Partial<DecodeLimits> | undefined;
  /** Default: Ignore, which does not report duplicate keys. */
  readonly fieldValidation?: FieldValidation | undefined;
  /** Awaited between the steps of decoding. */
  readonly nextStep?: NextDecodingStep | undefined;
}

/** Tokens that are read in one step. */
const tokensPerStep = 1000;

/**
 * Decodes a YAML body with one document as Kubernetes does (YAML 1.1, through JSON). JSON is parsed as JSON, which is much
 * faster: `kubectl apply --server-side` sends JSON and declares it as YAML.
 *
 * Duplicate keys are reported as in Kubernetes: one message each for Warn, one message for all for Strict.
 *
 * @throws {ApiError} 400 for a body that cannot be decoded, 413 for one that exceeds a limit.
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
  const limits: DecodeLimits = { ...defaultDecodeLimits, ...definedOnly(options.limits) };
  const text = decodeBodyText(bytes);
  const asJson = await readAsJson(text, limits, fieldValidation !== "Ignore", options.nextStep);
  if (asJson !== undefined) return asJson;
  if (text.length > limits.yamlLength) {
    throw new DecodeError(
      "limit",
      `a YAML body may have at most ${limits.yamlLength} characters; send it as JSON`,
    );
  }

  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const tokens = await tokensOf(yaml, text, lines, limits, options.nextStep);
  await options.nextStep?.(yamlCost);
  const document = onlyDocument(yaml, tokens, lines);
  if (document === undefined) return { object: null };
  await options.nextStep?.(yamlCost);
  const { value: object, duplicates } = valueOf(yaml, document, { text, lines }, limits);
  if (fieldValidation === "Ignore" || duplicates.length === 0) return { object };
  if (fieldValidation === "Warn") return { object, duplicates };
  return { object, duplicates: [`yaml: unmarshal errors:\n  ${duplicates.join("\n  ")}`] };
}

function definedOnly(limits: Partial<DecodeLimits> = {}): Partial<DecodeLimits> {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

/**
 * Body if it is JSON; undefined if the YAML parser has to decode it, also for the line numbers of duplicates. JSON with
 * unacceptable values (numbers, depth) is refused here, since YAML would refuse it too.
 */
async function readAsJson(
  text: string,
  limits: DecodeLimits,
  duplicates: boolean,
  nextStep: YamlOptions["nextStep"],
): Promise<Body | undefined> {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const parse = scanThenParse(text, { limits, duplicates });
    await nextStep?.();
    const body = parse();
    return body.duplicates === undefined ? body : undefined;
  } catch (error) {
    if (error instanceof DecodeError && error.problem === "syntax") return undefined;
    throw error;
  }
}

const controlCharacter = /[^\P{Cc}\t\n\r\u0085]/u;

/** Runs the stages of the parser that do not recurse, within the limits. */
async function tokensOf(
  yaml: Yaml,
  text: string,
  lines: LineCounter,
  limits: DecodeLimits,
  nextStep: YamlOptions["nextStep"],
): Promise<CST.Token[]> {
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
        `a YAML body may have at most ${limits.yamlTokens} tokens; send it as JSON`,
      );
    }
    if (count % tokensPerStep === 0) await nextStep?.(yamlCost);
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > limits.yamlDepth) throw tooDeep(limits);
  }
  for (const token of parser.end()) tokens.push(token);
  checkTokens(tokens, lines, limits);
  return tokens;
}

/**
 * Refuses nesting that is too deep before the recursive part of the parser sees it: a stack overflow there can abort the
 * whole process. Also refuses content after an explicit key (`? key`) that is not its value, which the parser drops
 * silently.
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
    `yaml: exceeded max depth: maps and lists may be nested ${yamlDepth} levels deep`,
  );
}

/** The only non-empty document. Refuses several: Kubernetes silently ignores all but the first, which hides mistakes. */
function onlyDocument(
  yaml: Yaml,
  tokens: readonly CST.Token[],
  lines: LineCounter,
): Document.Parsed | undefined {
  const composer = new yaml.Composer({
    // Keeps scalars as strings, and tags and duplicates unresolved: Kubernetes' rules apply, not the parser's.
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
        `yaml: line ${line}: the body has more than one document; send each object in a separate request`,
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
