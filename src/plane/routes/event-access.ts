import { asApiError, parseApiVersion, type Clock } from "../../model/core.js";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import type { ResourceType, User } from "../../server/index.js";
import type { UserAccess } from "../management/access.js";

export interface EventAccessOptions {
  readonly checkAccess: UserAccess["checkAccess"];
  /** Kinds that are served. */
  readonly types: {
    readonly all: readonly Pick<ResourceType, "group" | "version" | "kind" | "plural" | "namespaced">[];
  };
  readonly clock: Clock;
}

interface CachedDecision {
  readonly allowed: boolean;
  readonly until: number;
}

/** Milliseconds for which a decision is used again. A permission that is revoked ends its events after that time. */
const decisionTtl = 5000;
const maxDecisions = 10_000;

/**
 * Decides which events users may read: those about objects that they may watch. Events about no object, or about a kind that is not
 * served, are for users who may watch everything.
 */
export class EventAccess {
  readonly #options: EventAccessOptions;
  /** Decisions by user and kind. The connections of a token share its user. */
  readonly #decisions = new WeakMap<User, Map<string, CachedDecision>>();

  constructor(options: EventAccessOptions) {
    this.#options = options;
  }

  /** Whether a user may read an event; a promise if the decision takes time. */
  mayRead(user: User, event: CloudEvent): boolean | Promise<boolean> {
    const { objectapiversion = "", objectkind = "", objectnamespace = "" } = event;
    const key = `${objectapiversion} ${objectkind} ${objectnamespace}`;
    let decisions = this.#decisions.get(user);
    if (decisions === undefined) this.#decisions.set(user, (decisions = new Map()));
    const now = this.#options.clock.now();
    const cached = decisions.get(key);
    if (cached !== undefined && cached.until > now) return cached.allowed;
    const keep = (allowed: boolean): boolean => {
      if (decisions.size >= maxDecisions) decisions.clear();
      decisions.set(key, { allowed, until: now + decisionTtl });
      return allowed;
    };
    const decided = this.#decide(user, event);
    return typeof decided === "boolean" ? keep(decided) : decided.then(keep);
  }

  #decide(user: User, event: CloudEvent): boolean | Promise<boolean> {
    const resource = this.#resourceOf(event);
    try {
      const checking = this.#options.checkAccess({ user, verb: "watch", path: "", resource });
      return checking === undefined ? true : checking.then(() => true, deniedOrThrow);
    } catch (error) {
      return deniedOrThrow(error);
    }
  }

  #resourceOf({ objectapiversion, objectkind, objectnamespace }: CloudEvent): {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly namespace?: string | undefined;
  } {
    const all = { group: "*", version: "*", resource: "*" };
    if (objectapiversion === undefined || objectkind === undefined) return all;
    const { group = "", version = "" } = parseApiVersion(objectapiversion) ?? {};
    const types = this.#options.types.all.filter((each) => each.group === group && each.kind === objectkind);
    const type = types.find((each) => each.version === version) ?? types[0];
    if (type === undefined) return all;
    return {
      group,
      version: type.version,
      resource: type.plural,
      namespace: type.namespaced ? objectnamespace : undefined,
    };
  }
}

function deniedOrThrow(error: unknown): false {
  if (asApiError(error)?.code === 403) return false;
  throw error;
}
