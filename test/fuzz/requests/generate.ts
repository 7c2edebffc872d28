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
import { spoilt, written } from "./written.js";

/** Requests come in rows of so many about the same object, so that it gets into states which no first request meets. */
export const episodeLength = 12;

/** One row in so many is about what the server has forgotten, and one begins with more than it can bear. */
const rareRows = 40;

export const namespaces = ["default", "fuzz-a", "fuzz-b"];
const names = ["a", "b", "sample"];

export type Generated =
  | { readonly kind: "request"; readonly request: FuzzRequest }
  | { readonly kind: "raw"; readonly conversation: RawConversation }
  | { readonly kind: "burst"; readonly burst: Burst }
  /** The server is made to forget the past. */
  | { readonly kind: "compact" };

/** The request of this number. It is the same for the same seed, number and catalog. */
export function generate(catalog: Catalog, seed: number, index: number): Generated {
  const episode = Math.floor(index / episodeLength);
  const step = index % episodeLength;
  const shared = new Choices(seed, episode);
  const choices = new Choices(seed, episode, index);
  const sent = (draft: Draft): Generated => ({ kind: "request", request: spoilt(draft, choices) });
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

/** What is heard first is forgotten, and then asked for: as it should be, later in ways that it should not. */
function past(step: number, index: number, choices: Choices): Generated {
  if (step === 2) return { kind: "compact" };
  const turn = step - 3;
  const draft = step === 0 ? rememberDraft() : step === 1 ? turnDraft(index) : pastDraft(turn, choices);
  return { kind: "request", request: turn < asTheyStand ? written(draft) : spoilt(draft, choices) };
}

function resourceStep(target: Target, step: number, catalog: Catalog, choices: Choices): Draft {
  const { resource } = target;
  if (step === 0 && resource.group === "fuzz.dev") return definitionOf(resource, catalog, choices);
  return resourceDraft(target, verbAt(step, resource, choices), catalog, choices);
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
