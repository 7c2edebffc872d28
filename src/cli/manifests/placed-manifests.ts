import { isMap, isScalar, isSeq, LineCounter, parseAllDocuments, type Document, type Node } from "yaml";
import type { Manifest } from "../../client/client.js";
import { ManifestError, parseManifests } from "../../plane/apply-manifests.js";

/** Manifest with its position in a file. */
export interface PlacedManifest {
  readonly manifest: Manifest;
  /** Position such as `site.yaml:3:9` of a field or its nearest existing parent; without a field, of the manifest. */
  readonly place: (field?: string) => string;
}

/**
 * Parses manifests: YAML with any number of documents, or JSON; the items of a list are returned one by one.
 *
 * @example const [site] = placedManifests(text, "site.yaml"); site.place("spec.pages"); // "site.yaml:6:10"
 *
 * @throws {ManifestError} with the position of the problem.
 */
export function placedManifests(text: string, file: string): readonly PlacedManifest[] {
  const lines = new LineCounter();
  const documents: readonly Document[] = parseAllDocuments(text, { lineCounter: lines });
  // The shared parser reports the same errors for the same text elsewhere.
  if (documents.some(({ errors }) => errors.length > 0)) parseManifests(text, file);
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  return documents.flatMap((document) =>
    manifestsIn(document.contents).map((node) => {
      const problem = problemOf(node);
      if (problem !== undefined) throw new ManifestError(`${at(startOf(node))}: ${problem}`);
      return {
        manifest: node.toJS(document, { maxAliasCount: 1000 }) as Manifest,
        place: (field) => at(field === undefined ? startOf(node) : placeOf(node, field)),
      };
    }),
  );
}

/** Manifests of a document, in the order in which they are applied. */
function manifestsIn(node: Node | null): readonly Node[] {
  if (node === null || (isScalar(node) && node.value === null)) return [];
  if (isSeq(node)) return node.items.flatMap((item) => manifestsIn(item as Node));
  if (!isMap(node)) return [node];
  const items = node.get("items");
  const kind = node.get("kind");
  return typeof kind === "string" && kind.endsWith("List") && isSeq(items) ? manifestsIn(items) : [node];
}

function problemOf(node: Node): string | undefined {
  if (!isMap(node)) return "not a manifest: expected an object with apiVersion, kind and metadata";
  const missing = ["apiVersion", "kind"].find((field) => !isText(node.get(field)));
  if (missing !== undefined) return `${missing} is missing`;
  const isNamed = ["name", "generateName"].some((field) => isText(node.getIn(["metadata", field])));
  return isNamed ? undefined : `${String(node.get("kind"))} has no metadata.name`;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/**
 * Offset of a field such as `spec.pages[0].title`: of its value, of its name if the value spans several lines, or of
 * its nearest existing parent.
 */
function placeOf(node: Node, field: string): number {
  let place = startOf(node);
  let inside: unknown = node;
  const steps = [...field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, index, name]) => index ?? name ?? "");
  for (let at = 0; at < steps.length;) {
    const step = stepInto(inside, steps.slice(at));
    if (step === undefined) break;
    ({ place, value: inside } = step);
    at += step.length;
  }
  return place;
}

interface Step {
  readonly place: number;
  readonly value: unknown;
  /** Number of path segments that were used: a name may contain dots. */
  readonly length: number;
}

function stepInto(node: unknown, steps: readonly string[]): Step | undefined {
  if (isSeq(node)) {
    const item = node.items.find((each, at) => String(at) === steps[0] || hasKeys(each, steps[0] ?? ""));
    return item === undefined ? undefined : { place: startOf(item as Node), value: item, length: 1 };
  }
  if (!isMap(node)) return undefined;
  for (let length = 1; length <= steps.length; length++) {
    const name = steps.slice(0, length).join(".");
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name);
    if (pair === undefined) continue;
    const { key, value } = pair as { key: Node; value: Node | null };
    const isShort = isScalar(value) && value.value !== null;
    return { place: startOf(isShort ? value : key), value, length };
  }
  return undefined;
}

/** True if an item of a list has the keys in `name="web",protocol="TCP"`. */
function hasKeys(item: unknown, text: string): boolean {
  const keys = [...text.matchAll(/([\w-]+)=("(?:[^"\\]|\\.)*"|[^,]+)/g)];
  return (
    keys.length > 0 &&
    isMap(item) &&
    keys.every(([, name = "", value = ""]) => String(item.get(name)) === value.replaceAll(/^"|"$/g, ""))
  );
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}
