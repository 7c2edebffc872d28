import { isNotFound, type Json, type KubeObject } from "../../model/core.js";
import type { Definition, DefinitionStatus } from "../custom-resources/definition.js";
import type { Caller } from "../request/caller.js";
import type { ResourceType } from "../resources/resource-type.js";
import type { ResourceTypes } from "../resources/resource-types.js";

const group = "apiextensions.k8s.io";
const fieldManager = "fettle";

/** Prefix of the store keys of definitions. */
export const definitionPrefix = `/${group}/customresourcedefinitions/`;

/** Reads and writes CustomResourceDefinitions. */
export class Definitions {
  readonly #api: Caller;
  readonly #types: ResourceTypes;

  constructor(api: Caller, types: ResourceTypes) {
    this.#api = api;
    this.#types = types;
  }

  async get(name: string): Promise<Definition | undefined> {
    try {
      return (await this.#api.get(this.#type, { name })).object as Definition;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async all(): Promise<Definition[]> {
    const { items } = await this.#api.list(this.#type, {});
    return items.map(({ object }) => object as Definition);
  }

  /** @throws {ApiError} 409 when the definition has changed since it was read. */
  async writeStatus(definition: Definition, status: DefinitionStatus): Promise<Definition> {
    const object = { ...definition, status } as unknown as Json;
    const options = { fieldManager, subresource: "status" } as const;
    const { object: written } = await this.#api.update(
      this.#type,
      { name: definitionName(definition) },
      { object },
      options,
    );
    return written.object as Definition;
  }

  /** @throws {ApiError} 409 when the definition has changed since it was read. */
  async removeFinalizer(definition: Definition, finalizer: string): Promise<void> {
    const { uid = "", resourceVersion = "", finalizers = [] } = definition.metadata;
    const left = finalizers.filter((each) => each !== finalizer);
    const object = { metadata: { uid, resourceVersion, finalizers: left } };
    await this.#api.patch(
      this.#type,
      { name: definitionName(definition) },
      { type: "merge", body: { object } },
      { fieldManager },
    );
  }

  get #type(): ResourceType {
    const type = this.#types.find(group, "v1", "customresourcedefinitions");
    if (type === undefined) throw new Error("customresourcedefinitions are not served");
    return type;
  }
}

export function definitionName({ metadata }: KubeObject): string {
  return metadata.name ?? "";
}
