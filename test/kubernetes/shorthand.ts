import { servedKinds } from "../../src/model/built-in-kinds.js";

/** Path and kind that the cases name by a plural. */
interface Shorthand {
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
}

type Kind = Pick<(typeof servedKinds)["Pod"], "apiVersion" | "kind" | "plural" | "scope">;

const demoKinds: readonly Kind[] = [
  { apiVersion: "demo.dev/v1", kind: "Widget", plural: "widgets", scope: "Namespaced" },
  { apiVersion: "demo.dev/v1", kind: "Gadget", plural: "gadgets", scope: "Namespaced" },
  { apiVersion: "demo.dev/v1", kind: "Stone", plural: "stones", scope: "Cluster" },
  { apiVersion: "demo.dev/v1", kind: "Valve", plural: "valves", scope: "Namespaced" },
];

const shorthands = new Map<string, Shorthand>();
for (const kind of [...Object.values(servedKinds), ...demoKinds]) {
  // Of kinds with the same plural the first counts, as in kubectl: `events` are those of the core group.
  if (!shorthands.has(kind.plural)) shorthands.set(kind.plural, shorthandOf(kind));
}
shorthands.set("horizontalpodautoscalers.v1", shorthandOf(servedKinds.HorizontalPodAutoscalerV1));
shorthands.set(
  "valves.v2",
  shorthandOf({ apiVersion: "demo.dev/v2", kind: "Valve", plural: "valves", scope: "Namespaced" }),
);

function shorthandOf({ apiVersion, kind, plural, scope }: Kind): Shorthand {
  const root = `${apiVersion.includes("/") ? "/apis" : "/api"}/${apiVersion}`;
  return { path: `${root}${scope === "Namespaced" ? "/namespaces/$ns" : ""}/${plural}`, apiVersion, kind };
}

/** Expands `configmaps/lamp?limit=1` to a path and its kind; a target that begins with a slash is a path already. */
export function expand(target: string): { readonly path: string; readonly kind?: Shorthand } {
  if (target.startsWith("/")) return { path: target };
  const [plural = ""] = target.split(/[/?]/, 1);
  const kind = shorthands.get(plural);
  if (kind === undefined)
    throw new Error(`no kind has the plural ${plural}; custom kinds are listed in shorthand.ts`);
  return { path: kind.path + target.slice(plural.length), kind };
}
