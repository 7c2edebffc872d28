import { isNotFound, type Json, type KubeObject } from "../../model/core.js";
import type { Definition, DefinitionStatus } from "../custom-resources/definition.js";
import type { Registry } from "../registry/registry.js";
import type { ResourceType } from "../resources/resource-type.js";

const group = "apiextensions.k8s.io";
const fieldManager = "fettle";

/** What the keys of all definitions start with. */
export const definitionPrefix = `/${group}/customresourcedefinitions/`;

/** CustomResourceDefinitions, as the controllers read and write them. */
export class Definitions {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  async get(name: string): Promise<Definition | undefined> {
    try {
      return (await this.#registry.get(this.#type, { name })).object as Definition;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async all(): Promise<Definition[]> {
    const { items } = await this.#registry.list(this.#type, {});
    return items.map(({ object }) => object as Definition);
  }

  /** @throws a Conflict when the definition is no longer the one that was read. */
  async writeStatus(definition: Definition, status: DefinitionStatus): Promise<Definition> {
    const object = { ...definition, status } as unknown as Json;
    const options = { fieldManager, subresource: "status" } as const;
    const { answer } = await this.#registry.update(
      this.#type,
      { name: nameOf(definition) },
      { object },
      options,
    );
    return answer.object as Definition;
  }

  /** @throws a Conflict when the definition is no longer the one that was read. */
  async removeFinalizer(definition: Definition, finalizer: string): Promise<void> {
    const { uid = "", resourceVersion = "", finalizers = [] } = definition.metadata;
    const left = finalizers.filter((each) => each !== finalizer);
    const object = { metadata: { uid, resourceVersion, finalizers: left } };
    await this.#registry.patch(
      this.#type,
      { name: nameOf(definition) },
      { type: "merge", body: { object } },
      { fieldManager },
    );
  }

  get #type(): ResourceType {
    const type = this.#registry.types.find(group, "v1", "customresourcedefinitions");
    if (type === undefined) throw new Error("customresourcedefinitions are not served");
    return type;
  }
}

export function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? "";
}
