import type { RestMethod, RestResource } from "./rest-resource.js";

/** Header without which a collection is neither replaced nor emptied. */
export const confirmHeader = "X-Fettle-Confirm";

/** An endpoint in the configuration: restricts what is served. */
export interface RestEndpoint {
  /** Path below the base path: `/backends/{id}`. */
  readonly path: string;
  /** Default: all that the path has. */
  readonly methods?: readonly string[] | undefined;
  /** Description in the OpenAPI document. */
  readonly description?: string | undefined;
}

/** What is served at a path. */
type RestTarget =
  | { readonly type: "collection"; readonly resource: RestResource }
  | { readonly type: "item"; readonly resource: RestResource }
  | { readonly type: "view"; readonly resource: RestResource; readonly view: string }
  | { readonly type: "status" }
  | { readonly type: "reconcile" };

/** A path with its methods. */
export interface ServedPath {
  /** `/backends/{id}` */
  readonly template: string;
  readonly target: RestTarget;
  readonly methods: readonly RestMethod[];
  readonly description: string | undefined;
}

/** A path that was found for a request. */
export interface FoundPath extends ServedPath {
  /** Set for items and views. */
  readonly id: string;
}

const controlPaths: readonly ServedPath[] = [
  {
    template: "/control/status",
    target: { type: "status" },
    methods: ["GET"],
    description: "State of the controllers, their queues and health",
  },
  {
    template: "/control/reconcile",
    target: { type: "reconcile" },
    methods: ["POST"],
    description: "Reconciles one object, all of a kind, or everything",
  },
];

/** Paths of the REST API. */
export class RestPaths {
  readonly #paths = new Map<string, ServedPath>();
  readonly #endpoints: readonly RestEndpoint[] | undefined;
  /** Methods of all paths, also of those that are not served because of the configuration. */
  readonly #known = new Map<string, readonly RestMethod[]>();

  constructor(endpoints?: readonly RestEndpoint[]) {
    this.#endpoints = endpoints;
    for (const path of controlPaths) this.#add(path);
  }

  get all(): readonly ServedPath[] {
    return [...this.#paths.values()];
  }

  /** @throws {Error} when another kind has the path; `owner` says who adds it. */
  add(resource: RestResource, owner: string): void {
    const { path, methods, description, views } = resource;
    const other = this.all.find(({ target }) => "resource" in target && target.resource.path === path);
    if (other !== undefined) {
      throw new Error(`${owner}: the REST API serves another kind at /${path}; choose another path`);
    }
    this.#add({ template: `/${path}`, target: { type: "collection", resource }, methods, description });
    const ofItems = methods.filter((method) => method !== "POST");
    if (ofItems.length > 0) {
      this.#add({
        template: `/${path}/{id}`,
        target: { type: "item", resource },
        methods: ofItems,
        description,
      });
    }
    for (const [view, { description: text }] of views) {
      this.#add({
        template: `/${path}/{id}/${view}`,
        target: { type: "view", resource, view },
        methods: ["GET"],
        description: text,
      });
    }
  }

  /** Warnings about configured endpoints that do not exist. */
  warnings(): readonly string[] {
    const all = [...this.#known.keys()].join(", ");
    return (this.#endpoints ?? []).flatMap(({ path, methods = [] }) => {
      const known = this.#known.get(path);
      if (known === undefined) return [`api.endpoints: no operator serves ${path}; the paths are: ${all}`];
      return methods
        .filter((method) => !known.includes(method as RestMethod))
        .map((method) => `api.endpoints: ${path} has no ${method}; its methods are ${known.join(", ")}`);
    });
  }

  /** Finds what is served at a path of a request. */
  find(path: string): FoundPath | undefined {
    const [first = "", id, view, ...more] = path.split("/");
    if (more.length > 0 || id === "") return undefined;
    const exact = this.#paths.get(`/${path}`);
    if (exact !== undefined && id === undefined) return { ...exact, id: "" };
    if (first === "control") return exact && { ...exact, id: "" };
    const template = `/${first}/{id}${view === undefined ? "" : `/${view}`}`;
    const found = id === undefined ? undefined : this.#paths.get(template);
    return found && id !== undefined ? { ...found, id } : undefined;
  }

  #add(path: ServedPath): void {
    this.#known.set(path.template, path.methods);
    const configured = this.#endpoints?.find((each) => each.path === path.template);
    if (this.#endpoints !== undefined && configured === undefined) return;
    const methods = configured?.methods;
    this.#paths.set(path.template, {
      ...path,
      methods:
        methods === undefined ? path.methods : path.methods.filter((method) => methods.includes(method)),
      description: configured?.description ?? path.description,
    });
  }
}
