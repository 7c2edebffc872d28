import { type ApiError, failures } from "../../../model/core.js";
import { quote } from "../../../model/object/quote.js";
import { authenticatedGroup, mastersGroup, type User } from "./user.js";

/** What is to be done, by whom. */
export interface Attributes {
  readonly user: User;
  /** `get`, `list`, `watch`, …; the method in small letters for paths that name no resource. */
  readonly verb: string;
  readonly path: string;
  /** Left out for paths that name no resource. */
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

/** The answer of an authorizer; a reason is told to the client when it is no. */
interface Decision {
  readonly allowed: boolean;
  readonly reason?: string | undefined;
}

/** Decides who may do what. Throwing counts as no, and is reported as an internal error. */
export type Authorize = (attributes: Attributes) => Decision;

const yes: Decision = { allowed: true };
const no: Decision = { allowed: false };

const publicPaths = new Set(["/version", "/healthz", "/livez", "/readyz"]);

/** What there is to ask for, which clients look up before they ask: for everybody who said who they are. */
const discoveryPath = /^\/(api|apis|openapi)(\/|$)/;

/**
 * Members of `system:masters` may do everything; who said who they are may see which kinds there are; everybody may ask for
 * health and version; that is all.
 */
export const mastersOnly: Authorize = ({ user, verb, path, resource }) => {
  if (user.groups.includes(mastersGroup)) return yes;
  if (resource !== undefined || (verb !== "get" && verb !== "head")) return no;
  if (isPublic(path)) return yes;
  return user.groups.includes(authenticatedGroup) && discoveryPath.test(path) ? yes : no;
};

function isPublic(path: string): boolean {
  const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  return publicPaths.has(plain);
}

/** 403 in Kubernetes' words. */
export function forbidden(attributes: Attributes, reason = ""): ApiError {
  const { resource } = attributes;
  const message = harmless(describe(attributes));
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

/** Nothing that a browser could take for a page. */
function harmless(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
