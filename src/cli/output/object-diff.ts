import { renderDiff, type Json, type KubeObject } from "../../model/core.js";
import { withoutIgnored } from "../../model/diff/ignore.js";
import { isJsonObject } from "../../model/object/json.js";
import { bookkeeping } from "../../plane/management/redact.js";
import { comparableVersions } from "../../runtime/log/secrets.js";

const ignored = [...bookkeeping, 'metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]'];

/** Fields that the heading of a difference shows. */
export const address = ["apiVersion", "kind", "metadata.name", "metadata.namespace"];

/** Formats the difference between two versions of an object; empty when there is none. Values of Secrets are hidden. */
export function objectDiff(
  before: KubeObject | undefined,
  after: KubeObject | undefined,
  {
    colors,
    title,
    ignore = [],
  }: { readonly colors: boolean; readonly title?: string; readonly ignore?: readonly string[] },
): string {
  const [from, to] = comparableVersions(before, after);
  const patterns = [...ignored, ...ignore];
  const options = { color: colors, context: 2, ...(title !== undefined && { title }) };
  return renderDiff(essence(from, patterns), essence(to, patterns), options);
}

/** Removes the ignored fields, and metadata that is empty without them. */
function essence(object: Json | undefined, patterns: readonly string[]): Json | undefined {
  if (object === undefined) return undefined;
  const kept = withoutIgnored(object, patterns);
  if (!isJsonObject(kept)) return kept;
  const { metadata = null, ...rest } = kept;
  if (!isJsonObject(metadata)) return kept;
  const fields = Object.entries(metadata).filter(([, value]) => !isEmpty(value));
  return fields.length === 0 ? rest : { ...kept, metadata: Object.fromEntries(fields) };
}

function isEmpty(value: Json): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Indents every line. */
export function indented(text: string, by = "  "): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? line : by + line))
    .join("\n");
}
