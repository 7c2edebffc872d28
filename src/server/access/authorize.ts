import { type ApiError, failures } from "../../model/core.js";
import { quote } from "../../model/object/quote.js";
import { authenticatedGroup, mastersGroup, type User } from "./user.js";

/** Everything that an authorizer decides by. */
export interface Attributes {
  readonly user: User;
  /** API verb; for paths outside the API, the HTTP method in lower case. */
  readonly verb: string;
  /** Path of a request outside the API; empty for requests that name a resource. */
  readonly path: string;
  /** Absent for paths outside the API. */
  readonly resource?:
    | {
        readonly group: string;
        readonly version: string;
        readonly resource: string;
        readonly subresource?: string | undefined;
        readonly namespace?: string | undefined;
        readonly name?: string | undefined;
      }
    | undefined;
}

/** Decision of an authorizer. */
export interface Decision {
  readonly allowed: boolean;
  /** Added to the message of the 403. */
  readonly reason?: string | undefined;
}

/** Decides whether a user may do something. An exception denies the request and is reported as an internal error. */
export interface Authorize {
  (attributes: Attributes): Decision | Promise<Decision>;
  /** Everything that a user may do in a namespace, for `kubectl auth can-i --list`. Optional. */
  readonly rules?: ((user: User, namespace: string) => AccessRules | Promise<AccessRules>) | undefined;
}

/** Rules of a user, as a SelfSubjectRulesReview lists them; `*` stands for all. */
export interface AccessRules {
  readonly resourceRules: readonly {
    readonly verbs: readonly string[];
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[] | undefined;
  }[];
  readonly nonResourceRules: readonly {
    readonly verbs: readonly string[];
    readonly nonResourceURLs: readonly string[];
  }[];
  /** There may be further rules. */
  readonly incomplete?: boolean | undefined;
}

const allow: Decision = { allowed: true };
const deny: Decision = { allowed: false };

const publicPaths = ["/healthz", "/livez", "/readyz", "/version"];
const publicRule = { verbs: ["get"], nonResourceURLs: publicPaths };

/** Paths that clients read before their first request: open to every authenticated user. */
const discoveryRoots = ["api", "apis", "openapi"];
const discoveryPath = new RegExp(`^/(${discoveryRoots.join("|")})(/|$)`);
const discoveryRule = {
  verbs: ["get"],
  nonResourceURLs: discoveryRoots.flatMap((root) => [`/${root}`, `/${root}/*`]),
};

/** Questions that every authenticated user may ask: who they are, and what they may do. */
const selfReviews: Readonly<Record<string, readonly string[]>> = {
  "authentication.k8s.io": ["selfsubjectreviews"],
  "authorization.k8s.io": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
};
const selfReviewRules = Object.entries(selfReviews).map(([group, resources]) => ({
  verbs: ["create"],
  apiGroups: [group],
  resources,
}));

const everything: AccessRules = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};

/**
 * Default authorizer: members of `system:masters` may do everything, authenticated users may read discovery and ask about themselves,
 * everybody may read health and version.
 */
export const mastersOnly: Authorize = Object.assign(decideForMasters, { rules: rulesForMasters });

function decideForMasters({ user, verb, path, resource }: Attributes): Decision {
  if (user.groups.includes(mastersGroup)) return allow;
  const isAuthenticated = user.groups.includes(authenticatedGroup);
  if (resource !== undefined) {
    const isSelfReview = selfReviews[resource.group]?.includes(resource.resource) === true;
    return isAuthenticated && isSelfReview && verb === "create" ? allow : deny;
  }
  if (verb !== "get" && verb !== "head") return deny;
  if (isPublic(path)) return allow;
  return isAuthenticated && discoveryPath.test(path) ? allow : deny;
}

function rulesForMasters({ groups }: User): AccessRules {
  if (groups.includes(mastersGroup)) return everything;
  if (!groups.includes(authenticatedGroup)) return { resourceRules: [], nonResourceRules: [publicRule] };
  return { resourceRules: selfReviewRules, nonResourceRules: [discoveryRule, publicRule] };
}

function isPublic(path: string): boolean {
  const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  return publicPaths.includes(plain);
}

/** 403 response, worded as in Kubernetes. */
export function deniedError(attributes: Attributes, reason = ""): ApiError {
  const { resource } = attributes;
  const message = escapeHtml(describe(attributes));
  const why = reason === "" ? message : `${message}: ${reason}`;
  const { group = "", resource: plural = "", name = "" } = resource ?? {};
  return failures.forbidden({ group, resource: plural }, name, why);
}

function describe({ user, verb, path, resource }: Attributes): string {
  const who = `User ${quote(user.name)} cannot ${verb}`;
  if (resource === undefined) return `${who} path ${quote(path)}`;
  const { group, resource: plural, subresource, namespace } = resource;
  const what = quote(subresource ? `${plural}/${subresource}` : plural);
  const where = namespace ? `in the namespace ${quote(namespace)}` : "at the cluster scope";
  return `${who} resource ${what} in API group ${quote(group)} ${where}`;
}

/** Escapes HTML, in case a browser displays the message. */
function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
