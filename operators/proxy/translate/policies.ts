import { createHash } from "node:crypto";
import type { HTTPRouteObject } from "../kinds/gateway-api.js";
import type { RateLimitPolicyObject } from "../kinds/proxy.js";
import { originKey, type LimitZone, type RuleLimit } from "./configuration.js";
import { finding, joinMessages, refusedByNginx } from "./findings.js";
import { compareAge, compareText, identityOf, type Identity } from "./identity.js";
import type { Finding, PolicyResult, TranslationInput } from "./translation.js";

type TargetRef = RateLimitPolicyObject["spec"]["targetRefs"][number];

/** A policy while its targets are resolved. */
interface Attachment {
  readonly identity: Identity;
  readonly policy: RateLimitPolicyObject;
  readonly zone: string;
  /** Targets that exist, in this class or another one. */
  existing: number;
  inClass: number;
  applied: number;
  readonly missing: string[];
  readonly conflicts: string[];
}

/** Limits of the rules of all routes. */
export class Limits {
  readonly results: readonly PolicyResult[];
  /** Policy of each rule, by the path of its route and its position. */
  readonly #claims: ReadonlyMap<string, Attachment>;
  readonly #used = new Map<string, LimitZone>();

  constructor(results: readonly PolicyResult[], claims: ReadonlyMap<string, Attachment>) {
    this.results = results;
    this.#claims = claims;
  }

  /** Zones of limits that were asked for, in order of their names. */
  get zones(): readonly LimitZone[] {
    return [...this.#used.values()].toSorted((one, other) => compareText(one.name, other.name));
  }

  /** Limit of a rule; its zone becomes part of the configuration. */
  limitOf(routePath: string, rule: number): RuleLimit | undefined {
    if (this.#claims.size === 0) return undefined;
    const attachment = this.#claims.get(ruleKey(routePath, rule));
    if (attachment === undefined) return undefined;
    const { zone, policy, identity } = attachment;
    if (!this.#used.has(zone)) this.#used.set(zone, zoneOf(zone, policy, identity));
    return { zone, burst: policy.spec.limit.burst, status: policy.spec.limit.status };
  }
}

/**
 * Attaches policies to rules. A rule has one limit: a policy that names the rule comes before one for the whole route, and an older
 * one before a later one.
 *
 * @param ours Routes of the class by namespace and name.
 */
export function attachPolicies(
  { policies, refused, routes }: TranslationInput,
  ours: ReadonlyMap<string, HTTPRouteObject>,
): Limits {
  if (policies.length === 0) return new Limits([], new Map());
  const all = new Set(routes.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const attachments = policies
    .map((policy) => attachmentOf(policy))
    .toSorted((one, other) => compareAge(one.identity, other.identity));
  const claims = new Map<string, Attachment>();
  const refusalOf = ({ identity }: Attachment): string | undefined =>
    refused.get(originKey({ kind: "RateLimitPolicy", namespace: identity.namespace, name: identity.name }));
  for (const namesRule of [true, false]) {
    for (const attachment of attachments) {
      const canClaim = refusalOf(attachment) === undefined;
      for (const target of attachment.policy.spec.targetRefs) {
        if ((target.sectionName !== undefined) === namesRule)
          attach(attachment, target, all, ours, canClaim ? claims : undefined);
      }
    }
  }
  const results = attachments.flatMap((attachment) => {
    // Policies of another class are reported there.
    if (attachment.inClass === 0 && attachment.existing > 0) return [];
    const { uid, name, namespace, generation } = attachment.identity;
    const condition = conditionOf(attachment, refusalOf(attachment));
    const zone = condition.status === "True" ? attachment.zone : undefined;
    return [{ uid, name, namespace, generation, conditions: [condition], zone }];
  });
  return new Limits(results, claims);
}

function attachmentOf(policy: RateLimitPolicyObject): Attachment {
  const identity = identityOf(policy);
  const { type, header = "" } = policy.spec.limit.key;
  // nginx refuses to reload a zone whose key has changed, so that another key needs another name.
  const key = createHash("sha256").update(`${type} ${header.toLowerCase()}`).digest("hex").slice(0, 8);
  const zone = `${identity.namespace}_${identity.name}_${key}`;
  return { identity, policy, zone, existing: 0, inClass: 0, applied: 0, missing: [], conflicts: [] };
}

function attach(
  attachment: Attachment,
  { group, kind, name, sectionName }: TargetRef,
  all: ReadonlySet<string>,
  ours: ReadonlyMap<string, HTTPRouteObject>,
  claims: Map<string, Attachment> | undefined,
): void {
  const { namespace } = attachment.identity;
  if (group !== "gateway.networking.k8s.io" || kind !== "HTTPRoute") {
    attachment.missing.push(`${kind}.${group} is not supported as a target: use an HTTPRoute`);
    return;
  }
  const path = `${namespace}/${name}`;
  if (!all.has(path)) {
    attachment.missing.push(`there is no HTTPRoute ${name} in namespace ${namespace}`);
    return;
  }
  attachment.existing++;
  const route = ours.get(path);
  if (route === undefined) return;
  attachment.inClass++;
  const rules = route.spec.rules ?? [{ name: undefined }];
  let found = 0;
  for (const [index, rule] of rules.entries()) {
    if (sectionName !== undefined && rule.name !== sectionName) continue;
    found++;
    if (claims === undefined) continue;
    const key = ruleKey(path, index);
    const winner = claims.get(key);
    if (winner === undefined) {
      claims.set(key, attachment);
      attachment.applied++;
    } else if (winner !== attachment) {
      attachment.conflicts.push(
        `rule ${rule.name ?? index} of HTTPRoute ${path} has the limit of RateLimitPolicy ${winner.identity.path}`,
      );
    }
  }
  if (found === 0) attachment.missing.push(`HTTPRoute ${path} has no rule named ${sectionName}`);
}

function conditionOf({ applied, missing, conflicts }: Attachment, refusal: string | undefined): Finding {
  if (refusal !== undefined) {
    return finding("Accepted", false, refusedByNginx, `nginx refused the policy: ${refusal}`);
  }
  const notes = [...conflicts, ...missing];
  if (applied > 0) {
    const text = `The limit applies to ${applied} ${applied === 1 ? "rule" : "rules"}`;
    return finding(
      "Accepted",
      true,
      "Accepted",
      notes.length === 0 ? text : `${text}, but ${joinMessages(notes)}`,
    );
  }
  const reason = conflicts.length > 0 ? "Conflicted" : "TargetNotFound";
  return finding("Accepted", false, reason, joinMessages(notes));
}

function zoneOf(name: string, { spec }: RateLimitPolicyObject, identity: Identity): LimitZone {
  const { key, requests, per } = spec.limit;
  return {
    name,
    key: key.type === "Header" ? { type: "Header", header: key.header ?? "" } : { type: key.type },
    requests,
    per,
    origin: { kind: "RateLimitPolicy", namespace: identity.namespace, name: identity.name },
  };
}

function ruleKey(routePath: string, rule: number): string {
  return `${routePath} ${rule}`;
}
