import type { KindInfo } from "../../client/kinds/kind.js";
import type { HttpTransport } from "../../client/transport/http/http-transport.js";
import { formatApiVersion, isForbidden, isNotAcceptable, isNotFound } from "../../model/core.js";

/** Kind of a server, with all its names. */
export interface ServedKind extends KindInfo {
  readonly group: string;
  readonly version: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
}

/** Servers before Kubernetes 1.26 respond with the plain list of groups instead. */
const acceptAggregated =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

/**
 * All kinds of a server: the core group first, and of each group the preferred version first. Takes two requests, or
 * one per group and version for old servers.
 */
export async function discoverKinds(
  transport: HttpTransport,
  signal?: AbortSignal,
): Promise<readonly ServedKind[]> {
  const [core, others] = await Promise.all([
    kindsBelow(transport, "/api", signal),
    kindsBelow(transport, "/apis", signal),
  ]);
  return [...core, ...others];
}

async function kindsBelow(
  transport: HttpTransport,
  path: "/api" | "/apis",
  signal: AbortSignal | undefined,
): Promise<readonly ServedKind[]> {
  const document = await transport.document(path, { accept: acceptAggregated, signal });
  if (document["kind"] === "APIGroupDiscoveryList") return ofAggregated(document);
  const versions = versionsIn(document);
  const lists = await Promise.all(
    versions.map(async ({ group, version }) => {
      const apiVersion = formatApiVersion({ group, version });
      const at = group === "" ? `/api/${version}` : `/apis/${apiVersion}`;
      try {
        return ofPlain(await transport.document(at, { signal }), group, version);
      } catch (error) {
        // A group that is unavailable or forbidden does not affect the others.
        if (isNotFound(error) || isForbidden(error) || isNotAcceptable(error)) return [];
        if (signal?.aborted === true || group === "") throw error;
        return [];
      }
    }),
  );
  return lists.flat();
}

interface Aggregated {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly group?: string; readonly version?: string; readonly kind: string };
        readonly scope: "Namespaced" | "Cluster";
        readonly singularResource?: string;
        readonly verbs?: readonly string[];
        readonly shortNames?: readonly string[];
        readonly categories?: readonly string[];
      }[];
    }[];
  }[];
}

function ofAggregated({ items = [] }: Aggregated): ServedKind[] {
  return items.flatMap(({ metadata, versions = [] }) =>
    versions.flatMap(({ version, resources = [] }) =>
      resources.flatMap((resource) => {
        // Some entries have only subresources, and no kind of their own.
        if (resource.responseKind === undefined) return [];
        const { kind } = resource.responseKind;
        const group = metadata?.name ?? "";
        return {
          apiVersion: formatApiVersion({ group, version }),
          group,
          version,
          kind,
          plural: resource.resource,
          scope: resource.scope,
          singular: resource.singularResource || kind.toLowerCase(),
          shortNames: resource.shortNames ?? [],
          categories: resource.categories ?? [],
          verbs: resource.verbs ?? [],
        };
      }),
    ),
  );
}

interface PlainGroups {
  readonly versions?: readonly string[];
  readonly groups?: readonly {
    readonly name: string;
    readonly versions?: readonly { readonly version: string }[];
    readonly preferredVersion?: { readonly version: string };
  }[];
}

function versionsIn({ versions = [], groups = [] }: PlainGroups): { group: string; version: string }[] {
  return [
    ...versions.map((version) => ({ group: "", version })),
    ...groups.flatMap(({ name, versions = [], preferredVersion }) =>
      versions
        .map(({ version }) => ({ group: name, version }))
        .sort(
          (a, b) =>
            Number(b.version === preferredVersion?.version) - Number(a.version === preferredVersion?.version),
        ),
    ),
  ];
}

interface PlainList {
  readonly resources?: readonly {
    readonly name: string;
    readonly singularName?: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

function ofPlain({ resources = [] }: PlainList, group: string, version: string): ServedKind[] {
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, singularName, kind, namespaced, verbs = [], shortNames = [], categories = [] }) => ({
      apiVersion: formatApiVersion({ group, version }),
      group,
      version,
      kind,
      plural: name,
      scope: namespaced ? "Namespaced" : "Cluster",
      singular: singularName || kind.toLowerCase(),
      shortNames,
      categories,
      verbs,
    }));
}
