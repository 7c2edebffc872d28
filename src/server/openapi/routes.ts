import { needsRunningPod, subresourcesOf, type SubresourceInfo } from "../resources/subresources.js";
import type { ResourceType, Verb } from "../resources/resource-type.js";
import { capitalized, operationId, tagOf } from "./operation-id.js";
import { operations, type Model, type Operation } from "./operations.js";
import { nameParameter, namespaceParameter, prettyParameter, type Parameter } from "./parameters.js";

/** Path and its operations, for any version of OpenAPI. */
export interface Route {
  readonly path: string;
  /** Parameters of all operations of the path. */
  readonly parameters: readonly Parameter[];
  readonly operations: readonly RoutedOperation[];
}

/** Operation on one kind at one path. */
export interface RoutedOperation extends Operation {
  readonly id: string;
  readonly tag: string;
  readonly kind: { readonly group: string; readonly kind: string; readonly version: string };
}

type Served = Exclude<Verb, "watch">;

const onCollection: readonly Served[] = ["list", "create", "deletecollection"];
const onObject: readonly Served[] = ["get", "update", "patch", "delete"];
const onPart: readonly Served[] = ["create", ...onObject];

/** All paths and operations of a kind. */
export function routesOf(type: ResourceType): readonly Route[] {
  const { group, version, kind, plural, namespaced } = type;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const scope = namespaced ? [namespaceParameter] : [];
  const one = [nameParameter, ...scope];
  const subject = namespaced ? `Namespaced${kind}` : kind;
  const served = (verbs: readonly Served[]) => verbs.filter((verb) => type.verbs.includes(verb));

  const everywhere = served(["list"]).map((verb) => routed(type, verb, `${kind}ForAllNamespaces`));
  const routes = [
    ...(namespaced ? [route(`${root}/${plural}`, [], everywhere)] : []),
    route(
      collection,
      scope,
      served(onCollection).map((verb) => routed(type, verb, subject)),
    ),
    route(
      `${collection}/{name}`,
      one,
      served(onObject).map((verb) => routed(type, verb, subject)),
    ),
    ...subresourcesOf(type)
      .filter(({ name }) => needsRunningPod(name) === undefined)
      .map((part) =>
        route(
          `${collection}/{name}/${part.name}`,
          one,
          onPart.filter((verb) => part.verbs.includes(verb)).map((verb) => routed(type, verb, subject, part)),
        ),
      ),
  ];
  return routes.filter((route) => route.operations.length > 0);
}

function route(path: string, parameters: readonly Parameter[], routed: readonly RoutedOperation[]): Route {
  return { path, parameters: [...parameters, prettyParameter], operations: routed };
}

function routed(type: ResourceType, verb: Served, subject: string, part?: SubresourceInfo): RoutedOperation {
  const { group, version, kind } = type;
  const operation = operations[verb];
  const { idVerb, idPrefix = "", description, answer, body } = operation;
  const one = part ? `the ${part.name} of one ${kind}` : `one ${kind}`;
  const name = part?.name;
  const ofPart: Model = name === "scale" || name === "binding" || name === "eviction" ? name : "object";
  const model = (of: Model): Model => (of === "object" ? ofPart : of);
  // Like in apiextensions, the scale of a custom kind is published under the name of that kind.
  const own = type.capabilities.openapi === "named-types" && part !== undefined ? part : type;
  return {
    ...operation,
    id: operationId(idVerb, type, `${idPrefix}${subject}${capitalized(part?.name ?? "")}`),
    tag: tagOf({ group, version }),
    description: description.replace("{}", onObject.includes(verb) || part ? one : kind),
    kind: { group: own.group, kind: own.kind, version: own.version },
    answer: model(answer),
    ...(body && { body: { ...body, model: model(body.model) } }),
  };
}
