import { Choices } from "../choices.js";
import { bursts, type Burst } from "./burst.js";
import type { Catalog, Resource } from "./catalog.js";
import { definitionName, fuzzResources } from "./definitions.js";
import type { Draft, FuzzRequest } from "./draft.js";
import { managementDraft } from "./management.js";
import type { Target } from "./objects.js";
import { asTheyStand, pastDraft, rememberDraft, turnDraft } from "./past.js";
import { rawConversation, type RawConversation } from "./raw.js";
import { documentDraft, resourceDraft } from "./valid.js";
import { breakRequest, written } from "./written.js";

/** Number of consecutive requests about the same object, so that it reaches states that a first request never meets. */
export const episodeLength = 12;

/** One episode in so many is about compacted history, and one starts with a burst. */
const rareRows = 40;

export const namespaces = ["default", "fuzz-a", "fuzz-b"];
const names = ["a", "b", "sample"];

export type Generated =
  | { readonly kind: "request"; readonly request: FuzzRequest }
  | { readonly kind: "raw"; readonly conversation: RawConversation }
  | { readonly kind: "burst"; readonly burst: Burst }
  /** Compacts the history of the server. */
  | { readonly kind: "compact" };

/** Generates the request of this number; the same for the same seed, number and catalog. */
export function generate(catalog: Catalog, seed: number, index: number): Generated {
  const episode = Math.floor(index / episodeLength);
  const step = index % episodeLength;
  const shared = new Choices(seed, episode);
  const choices = new Choices(seed, episode, index);
  const sent = (draft: Draft): Generated => ({ kind: "request", request: breakRequest(draft, choices) });
  switch (aboutOf(episode, shared)) {
    case "past":
      return past(step, index, choices);
    case "burst": {
      const burst = bursts[step];
      return burst === undefined ? sent(managementDraft(catalog, choices)) : { kind: "burst", burst };
    }
    case "raw":
      return { kind: "raw", conversation: rawConversation(choices) };
    case "document":
      return sent(documentDraft(catalog, choices));
    case "management":
      return sent(managementDraft(catalog, choices));
    case "resource":
      return sent(resourceStep(targetOf(catalog, shared), step, catalog, choices));
  }
}

type About = "resource" | "document" | "management" | "raw" | "past" | "burst";

function aboutOf(episode: number, choices: Choices): About {
  if (episode % rareRows === 5) return "past";
  if (episode % rareRows === 25) return "burst";
  return choices.weighted<About>([
    [26, "resource"],
    [2, "document"],
    [5, "management"],
    [1, "raw"],
  ]);
}

/** Requests for compacted history: first valid ones, then broken ones. */
function past(step: number, index: number, choices: Choices): Generated {
  if (step === 2) return { kind: "compact" };
  const turn = step - 3;
  const draft = step === 0 ? rememberDraft() : step === 1 ? turnDraft(index) : pastDraft(turn, choices);
  return { kind: "request", request: turn < asTheyStand ? written(draft) : breakRequest(draft, choices) };
}

function resourceStep(target: Target, step: number, catalog: Catalog, choices: Choices): Draft {
  const { resource } = target;
  if (step === 0 && resource.group === "fuzz.dev") return definitionOf(resource, catalog, choices);
  return resourceDraft(target, verbAt(step, resource, choices), catalog, choices);
}

/** Creates a kind again, which may have been deleted meanwhile. */
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

/** Verb of a step: the first creates the object, the last deletes it, and those in between are random. */
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
