import type { Client } from "../../../client/client.js";
import {
  failures,
  isAlreadyExists,
  isConflict,
  type KubeObject,
  type ObjectMeta,
} from "../../../model/core.js";
import type { RestDocument, RestMetadata, RestResource } from "./rest-resource.js";
import { etagOf, matchesEtag } from "./etag.js";
import { conversionError, inDocument, invalidDocument, preconditionFailed } from "./rest-errors.js";

/** Field manager of writes through the REST API. */
const fieldManager = "fettle-rest";
/** Attempts to write an object that others change at the same time. */
const maxAttempts = 5;

/** Conditions of a request. */
export interface RestConditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

export interface WrittenDocument {
  readonly document: RestDocument;
  readonly outcome: "created" | "updated" | "unchanged";
}

/** Documents of one path, in one namespace, on behalf of one user. */
export class RestItems {
  readonly #resource: RestResource;
  readonly #client: Client;
  readonly #namespace: string | undefined;
  readonly #signal: AbortSignal;

  constructor(
    resource: RestResource,
    { client, namespace, signal }: { client: Client; namespace: string | undefined; signal: AbortSignal },
  ) {
    this.#resource = resource;
    this.#client = client;
    this.#namespace = resource.kind.scope === "Cluster" ? undefined : (namespace ?? client.namespace);
    this.#signal = signal;
  }

  /** @throws {ApiError} 404 */
  async get(id: string): Promise<KubeObject> {
    return (await this.#find(id)) ?? this.#missing(id);
  }

  async page(
    limit: number,
    from: string | undefined,
  ): Promise<{ items: RestDocument[]; next?: string | undefined }> {
    const { kind } = this.#resource;
    const options = { namespace: this.#namespace, limit, continue: from, signal: this.#signal };
    const { items, continue: next } = await this.#client.list(kind, options);
    return { items: items.map((each) => this.document(each as KubeObject)), next };
  }

  async all(): Promise<readonly KubeObject[]> {
    const { kind } = this.#resource;
    const { items } = await this.#client.list(kind, { namespace: this.#namespace, signal: this.#signal });
    return items;
  }

  document(object: KubeObject): RestDocument {
    return this.#resource.toResource(object);
  }

  /** Creates an object; without an id, the server chooses one. */
  async create(document: RestDocument): Promise<RestDocument> {
    const { kind } = this.#resource;
    const { id } = document;
    const named = id === undefined ? { generateName: `${kind.singular}-` } : { name: idOf(id) };
    return this.document(await this.#create(document, named, false));
  }

  /** Creates or replaces an object. */
  async put(
    id: string,
    document: RestDocument,
    { ifMatch, ifNoneMatch, dryRun = false }: RestConditions & { readonly dryRun?: boolean } = {},
  ): Promise<WrittenDocument> {
    if (document["id"] !== undefined && document["id"] !== id) {
      throw invalidDocument(`the id of the document is not ${id}, that of the path`, [
        { field: "id", detail: `must be ${id}, or left out` },
      ]);
    }
    for (let attempt = 1; ; attempt++) {
      const existing = await this.#find(id);
      const etag = existing && etagOf(this.document(existing));
      this.#check(id, etag, { ifMatch, ifNoneMatch });
      try {
        if (existing === undefined) {
          const created = await this.#create(document, { name: id }, dryRun);
          return { document: this.document(created), outcome: "created" };
        }
        const updated = await this.#update(existing, document, dryRun);
        const isSame = updated.metadata.resourceVersion === existing.metadata.resourceVersion;
        return { document: this.document(updated), outcome: isSame ? "unchanged" : "updated" };
      } catch (error) {
        // Somebody else has written it, or created one of that name: check the conditions again.
        const isRace = isConflict(error) || (existing === undefined && isAlreadyExists(error));
        if (!isRace || attempt === maxAttempts) throw error;
      }
    }
  }

  /** Deletes an object. Returns its document while it waits for finalizers. @throws {ApiError} 404 */
  async delete(id: string, conditions: RestConditions = {}): Promise<RestDocument | undefined> {
    const { kind } = this.#resource;
    const existing = await this.get(id);
    const { uid, resourceVersion } = existing.metadata;
    this.#check(id, etagOf(this.document(existing)), conditions);
    const preconditions = conditions.ifMatch === undefined ? { uid } : { uid, resourceVersion };
    const left = await this.#client.delete(kind, this.#ref(id), { preconditions, signal: this.#signal });
    return left && this.document(left);
  }

  #check(id: string, etag: string | undefined, { ifMatch, ifNoneMatch }: RestConditions): void {
    if (ifMatch !== undefined && !matchesEtag(ifMatch, etag)) {
      throw preconditionFailed(
        etag === undefined
          ? `${id} does not exist, and If-Match requires it`
          : `${id} has changed: its ETag is ${etag} now. Read it again, and apply your change to that`,
      );
    }
    if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, etag)) {
      throw preconditionFailed(`${id} exists, and If-None-Match requires that it does not`);
    }
  }

  async #find(id: string): Promise<KubeObject | undefined> {
    // A name that no object can have is not worth an error of its own.
    if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(id)) return undefined;
    return this.#client.find(this.#resource.kind, this.#ref(id), { signal: this.#signal });
  }

  async #create(
    document: RestDocument,
    identity: { readonly name: string } | { readonly generateName: string },
    dryRun: boolean,
  ): Promise<KubeObject> {
    const { kind } = this.#resource;
    const { metadata, ...rest } = this.#objectOf(document);
    const namespace = this.#namespace === undefined ? {} : { namespace: this.#namespace };
    const draft = { ...rest, metadata: { ...mergedMetadata({}, metadata), ...identity, ...namespace } };
    return (await this.#write(() =>
      this.#client.create(kind, draft as never, this.#options(dryRun)),
    )) as KubeObject;
  }

  async #update(existing: KubeObject, document: RestDocument, dryRun: boolean): Promise<KubeObject> {
    const { kind } = this.#resource;
    const { metadata, ...rest } = this.#objectOf(document);
    const draft = { ...existing, ...rest, metadata: mergedMetadata(existing.metadata, metadata) };
    return (await this.#write(() =>
      this.#client.update(kind, draft as never, this.#options(dryRun)),
    )) as KubeObject;
  }

  async #write(write: () => Promise<unknown>): Promise<unknown> {
    try {
      return await write();
    } catch (error) {
      throw inDocument(error, this.#resource);
    }
  }

  #objectOf(document: RestDocument): ReturnType<RestResource["toObject"]> {
    try {
      return this.#resource.toObject(document);
    } catch (error) {
      throw conversionError(error);
    }
  }

  #options(dryRun: boolean) {
    return { fieldManager, fieldValidation: "Strict", dryRun, signal: this.#signal } as const;
  }

  #ref(id: string): { readonly name: string; readonly namespace?: string | undefined } {
    return { name: id, namespace: this.#namespace };
  }

  #missing(id: string): never {
    const { group, plural } = this.#resource.kind;
    throw failures.notFound({ group, resource: plural }, id);
  }
}

/** Adds labels and annotations to those of an object, of which others may own some. */
function mergedMetadata<T extends Pick<ObjectMeta, "labels" | "annotations">>(
  existing: T,
  { labels, annotations }: NonNullable<RestMetadata["metadata"]> = {},
): T {
  const merge = (
    before: Readonly<Record<string, string>> | undefined,
    changes: Readonly<Record<string, string | null>> = {},
  ): Record<string, string> => {
    const merged = { ...before, ...changes };
    return Object.fromEntries(
      Object.entries(merged).filter((each): each is [string, string] => each[1] !== null),
    );
  };
  return {
    ...existing,
    ...(labels !== undefined && { labels: merge(existing.labels, labels) }),
    ...(annotations !== undefined && { annotations: merge(existing.annotations, annotations) }),
  };
}

/** @throws {ApiError} 422 unless the id is a string. */
export function idOf(id: unknown): string {
  if (typeof id === "string" && id !== "") return id;
  throw invalidDocument("the id must be a string that is not empty", [
    { field: "id", detail: "must be a string that is not empty" },
  ]);
}
