import { breaks } from "../breaks/index.js";
import { pathOf } from "../breaks/addresses.js";
import { bodyOf } from "../breaks/body-of.js";
import { queryOf } from "../breaks/query.js";
import { Choices } from "../choices.js";
import type { Catalog, Resource } from "./catalog.js";
import { definitionName, fuzzResources } from "./definitions.js";
import type { Draft, FuzzRequest } from "./draft.js";
import type { Target } from "./objects.js";
import { rawConversation, type RawConversation } from "./raw.js";
import { documentDraft, resourceDraft } from "./valid.js";

/** Requests come in rows of so many about the same object, so that it gets into states which no first request meets. */
export const episodeLength = 12;

/** What the server reads of a head at most, with some room for the headers. */
const longestTarget = 50_000;

export const namespaces = ["default", "fuzz-a", "fuzz-b"];
const names = ["a", "b", "sample"];

export type Generated =
  | { readonly kind: "request"; readonly request: FuzzRequest }
  | { readonly kind: "raw"; readonly conversation: RawConversation };

/** The request of this number. It is the same for the same seed, number and catalog. */
export function generate(catalog: Catalog, seed: number, index: number): Generated {
  const episode = Math.floor(index / episodeLength);
  const shared = new Choices(seed, episode);
  const choices = new Choices(seed, episode, index);
  const about = shared.weighted<"resource" | "document" | "raw">([
    [26, "resource"],
    [2, "document"],
    [1, "raw"],
  ]);
  if (about === "raw") return { kind: "raw", conversation: rawConversation(choices) };
  if (about === "document")
    return { kind: "request", request: finish(documentDraft(catalog, choices), choices) };
  const target = targetOf(catalog, shared);
  const step = index % episodeLength;
  if (step === 0 && target.resource.group === "fuzz.dev") {
    return { kind: "request", request: finish(definitionOf(target.resource, catalog, choices), choices) };
  }
  const verb = verbAt(step, target.resource, choices);
  return { kind: "request", request: finish(resourceDraft(target, verb, catalog, choices), choices) };
}

/** Makes a kind again, which may have gone in the meantime. */
function definitionOf({ plural, group }: Resource, catalog: Catalog, choices: Choices): Draft {
  const resource = catalog.resources.find((each) => each.plural === "customresourcedefinitions");
  if (resource === undefined) throw new Error("there are always definitions");
  return resourceDraft(
    { resource, namespace: undefined, name: `${plural}.${group}` },
    "create",
    catalog,
    choices,
  );
}

function targetOf(catalog: Catalog, choices: Choices): Target {
  const named = (plural: string): Resource[] => catalog.resources.filter((each) => each.plural === plural);
  const resource = choices.weighted<() => Resource>([
    [5, () => choices.pick(fuzzResources)],
    [2, () => choices.pick(named("widgets"))],
    [3, () => choices.pick(named("customresourcedefinitions"))],
    [1, () => choices.pick(named("namespaces"))],
    [10, () => choices.pick(catalog.resources)],
  ])();
  const { plural } = resource;
  if (plural === "customresourcedefinitions")
    return { resource, namespace: undefined, name: definitionName(choices) };
  if (plural === "namespaces") return { resource, namespace: undefined, name: choices.pick(namespaces) };
  return {
    resource,
    namespace: resource.namespaced ? choices.pick(namespaces) : undefined,
    name: choices.pick(names),
  };
}

/** First it is made, in the end it goes, and in between anything happens. */
function verbAt(step: number, { subresources, verbs }: Resource, choices: Choices): string {
  if (step < 2) return "create";
  if (step === episodeLength - 1) return "delete";
  const parts = subresources.flatMap((part) => {
    const actions = part === "finalize" ? ["update"] : ["get", "update", "patch", "apply"];
    return actions.map((action) => `${action} ${part}`);
  });
  return choices.weighted([
    [2, "create"],
    [1, "get"],
    [3, "list"],
    [1, "watch"],
    [4, "update"],
    [6, "patch"],
    [6, "apply"],
    [1, "delete"],
    ...parts.map((part) => [1, part] as const),
    ...(verbs.includes("deletecollection") && choices.once(8) ? [[1, "deletecollection"] as const] : []),
  ]);
}

/** Spoils a request in none, one or several ways, and writes it down. */
function finish(draft: Draft, choices: Choices): FuzzRequest {
  const ways = choices.weighted([
    [4, 0],
    [5, 1],
    [2, 2],
    [1, 3],
  ]);
  const chosen = new Set<number>();
  for (let turn = 0; turn < ways; turn++) {
    const possible = breaks.flatMap((each, at) => (each.applies(draft) ? [[each.weight, at] as const] : []));
    chosen.add(choices.weighted(possible));
  }
  for (const at of [...chosen].sort((one, other) => one - other)) {
    const way = breaks[at];
    if (way === undefined || !way.applies(draft)) continue;
    way.spoil(draft, choices);
    draft.broken.push(way.name);
  }
  const { family, verb, method, headers, waits, broken } = draft;
  const target = pathOf(draft) + queryOf(draft);
  // Who is refused while still talking may have hung up before the answer is heard.
  const lies = draft.lies || target.length > longestTarget;
  return { family, verb, method, target, headers, body: bodyOf(draft), lies, waits, broken };
}
