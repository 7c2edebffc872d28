import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { isMap, isSeq, LineCounter, parseAllDocuments, type Node } from "yaml";
import type { Manifest } from "../../client/client.js";
import { asApiError } from "../../model/core.js";
import { ManifestError, parseManifests, type Applied } from "../../plane/apply-manifests.js";
import { inOrder } from "../manifests/apply-manifest.js";

/** A manifest with its place. */
export interface PlacedManifest {
  readonly manifest: Manifest;
  /** `site.yaml:3:9` of a field, or of the manifest itself. */
  readonly place: (field?: string) => string;
}

/** @throws {ManifestError} with the place of what is wrong. */
export async function readManifests(
  paths: readonly string[],
  cwd: string,
): Promise<readonly PlacedManifest[]> {
  const all: PlacedManifest[] = [];
  for (const path of paths) {
    const name = relative(cwd, path);
    let text: string;
    try {
      text = await readFile(path, "utf8");
    } catch (error) {
      throw new ManifestError(
        `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
        {
          cause: error,
        },
      );
    }
    all.push(...placed(text, name));
  }
  return all;
}

function placed(text: string, file: string): readonly PlacedManifest[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const nodes =
    Array.isArray(documents) && documents.every(({ errors }) => errors.length === 0)
      ? documents.flatMap(({ contents }) => manifestsIn(contents))
      : [];
  for (const node of nodes) {
    const missing = ["apiVersion", "kind"].find((field) => isMap(node) && !node.has(field));
    if (missing !== undefined) throw new ManifestError(`${at(startOf(node))}: ${missing} is missing`);
  }
  return parseManifests(text, file).map((manifest, index) => {
    const node = nodes[index];
    return {
      manifest,
      place: (field) => (node === undefined ? file : at(startOf(fieldOf(node, field)))),
    };
  });
}

/** The manifests of a document in the order in which they are applied: a list stands for its items. */
function manifestsIn(node: Node | null): readonly Node[] {
  if (node === null) return [];
  if (isSeq(node)) return node.items.flatMap((item) => manifestsIn(item as Node));
  if (!isMap(node)) return "value" in node && node.value === null ? [] : [node];
  const items = node.get("items");
  const kind = node.get("kind");
  return typeof kind === "string" && kind.endsWith("List") && isSeq(items) ? manifestsIn(items) : [node];
}

/** The node of `spec.pages[0].title`, or what is nearest above it. */
function fieldOf(node: Node, field = ""): Node {
  let found = node;
  for (const step of field.split(/[.[\]]+/).filter((each) => each !== "")) {
    const next: unknown = isMap(found)
      ? found.get(step, true)
      : isSeq(found)
        ? found.get(Number(step), true)
        : undefined;
    if (typeof next !== "object" || next === null || !("range" in next)) break;
    found = next as Node;
  }
  return found;
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

/** Applies manifests; what the server does not accept is told with its place. */
export async function applyPlaced(
  apply: (manifest: Manifest) => Promise<readonly Applied[]>,
  manifests: readonly PlacedManifest[],
): Promise<readonly Applied[]> {
  const applied: Applied[] = [];
  for (const each of inOrder(manifests)) {
    try {
      applied.push(...(await apply(each.manifest)));
    } catch (error) {
      throw refused(error, each);
    }
  }
  return applied;
}

function refused(error: unknown, { manifest, place }: PlacedManifest): Error {
  const causes = asApiError(error)?.status.details?.causes?.filter(({ field }) => field !== undefined) ?? [];
  const { kind, metadata } = manifest;
  const lines =
    causes.length > 0
      ? causes.map(({ field, message }) => `${place(field)}: ${field}: ${message}`)
      : [`${place(fieldIn(error))}: ${error instanceof Error ? error.message : String(error)}`];
  return new ManifestError(`${kind} ${metadata.name ?? ""} was not accepted:\n  ${lines.join("\n  ")}`, {
    // The message says all there is.
    ...(causes.length === 0 && { cause: error }),
  });
}

/** A field that only the message names: `… Kind=Site): .spec.pages: expected …`. */
function fieldIn(error: unknown): string | undefined {
  return error instanceof Error ? /: \.([\w.[\]-]+): /.exec(error.message)?.[1] : undefined;
}
