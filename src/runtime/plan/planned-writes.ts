import type { KindInfo } from "../../client/kinds/kind.js";
import type { DeleteOptions, GetOptions } from "../../client/transport/transport.js";
import type { ObjectKey, Scope } from "../../model/object/object-key.js";
import {
  applyJsonPatch,
  applyMergePatch,
  failures,
  parseApiVersion,
  type Json,
  type KubeObject,
} from "../../model/core.js";
import { joinKey, kindKey } from "../controller/keys.js";
import { messageOf } from "../log/message-of.js";
import type { ObjectWrite, TransportHooks } from "../transport/wrap-transport.js";
import { changeOf, type PlannedChange } from "./planned-change.js";

type ReadObject = (kind: KindInfo, namespace: string, name: string) => KubeObject | undefined;

/**
 * Collects what a run would write. The server computes the result of each write in a dry run. An object that is planned to be
 * created, changed or deleted is then read in its planned state, and the next write to it is applied to that here, without the
 * server's defaulting and validation. Lists show the present state.
 */
export class PlannedWrites implements TransportHooks {
  readonly changes: PlannedChange[] = [];
  readonly #cached: ReadObject;
  readonly #read: (kind: KindInfo, target: ObjectKey, options: GetOptions) => Promise<KubeObject>;
  /** Planned states by address; null for objects that would be gone. */
  readonly #planned = new Map<string, KubeObject | null>();

  constructor(
    cached: ReadObject,
    read: (kind: KindInfo, target: ObjectKey, options: GetOptions) => Promise<KubeObject>,
  ) {
    this.#cached = cached;
    this.#read = read;
  }

  /** The planned state of an object, or its cached one; undefined if it does not or would not exist. */
  current(kind: KindInfo, namespace: string, name: string): KubeObject | undefined {
    const planned = this.#planned.get(addressOf(kind, { namespace, name }));
    return planned === undefined ? this.#cached(kind, namespace, name) : (planned ?? undefined);
  }

  async get(
    kind: KindInfo,
    target: ObjectKey,
    options: GetOptions | undefined,
    send: () => Promise<KubeObject>,
  ): Promise<KubeObject> {
    const planned = this.#planned.get(addressOf(kind, target));
    if (planned === undefined || options?.subresource === "scale") return send();
    if (planned === null) throw failures.notFound(resourceOf(kind), target.name);
    if (options?.metadataOnly !== true) return planned;
    return { apiVersion: planned.apiVersion, kind: planned.kind, metadata: planned.metadata };
  }

  async write(
    write: ObjectWrite,
    send: (options: ObjectWrite["options"]) => Promise<KubeObject | undefined>,
  ): Promise<KubeObject | undefined> {
    const { verb, kind, target, body, options } = write;
    // A Scale is not the object, and does not show what the object becomes.
    const isScale = options?.subresource === "scale";
    const planned = isScale ? undefined : this.#planned.get(addressOf(kind, target));
    const before = planned === undefined ? await this.#find(write) : (planned ?? undefined);
    const isNew = verb === "create" || (before === undefined && verb !== "patch");
    const action = verb === "delete" ? "delete" : isNew ? "create" : "update";
    try {
      const result =
        planned === undefined ? await send({ ...options, dryRun: true }) : resultOf(write, planned);
      this.#add(action, write, before, isScale ? before : verb === "delete" ? undefined : result);
      if (!isScale) this.#planned.set(addressOf(kind, result?.metadata ?? target), result ?? null);
      return result;
    } catch (error) {
      const desired = verb === "delete" || verb === "patch" ? undefined : (body as KubeObject);
      const after = verb === "delete" ? undefined : (desired ?? before);
      this.#add(action, write, before, after, messageOf(error));
      throw error;
    }
  }

  async deleteCollection(
    kind: KindInfo,
    { namespace = "" }: Scope,
    options: DeleteOptions | undefined,
    send: (options: DeleteOptions) => Promise<readonly KubeObject[]>,
  ): Promise<readonly KubeObject[]> {
    try {
      const all = await send({ ...options, dryRun: true });
      const deleted = all.filter(({ metadata }) => this.#planned.get(addressOf(kind, metadata)) !== null);
      for (const object of deleted) {
        this.#planned.set(addressOf(kind, object.metadata), null);
        this.changes.push(changeOf("delete", kind, object, undefined));
      }
      return deleted;
    } catch (error) {
      const change = changeOf("delete", kind, undefined, undefined);
      this.changes.push({ ...change, namespace, problem: messageOf(error) });
      throw error;
    }
  }

  #add(
    action: PlannedChange["action"],
    { kind, target }: ObjectWrite,
    before: KubeObject | undefined,
    after: KubeObject | undefined,
    problem?: string,
  ): void {
    const change = changeOf(action, kind, before, after);
    this.changes.push({
      ...change,
      name: change.name || (target.name ?? ""),
      namespace: change.namespace || (target.namespace ?? ""),
      ...(problem !== undefined && { problem }),
    });
  }

  /** The present state of an object for which nothing is planned. If it cannot be read, it is taken for new. */
  async #find({ verb, kind, target, options }: ObjectWrite): Promise<KubeObject | undefined> {
    if (verb === "create") return undefined;
    const { name = "", namespace = "" } = target;
    const { signal } = options ?? {};
    try {
      return this.#cached(kind, namespace, name) ?? (await this.#read(kind, { ...target, name }, { signal }));
    } catch {
      signal?.throwIfAborted();
      return undefined;
    }
  }
}

/** The result of a write to an object with a planned state. */
function resultOf(write: ObjectWrite, planned: KubeObject | null): KubeObject | undefined {
  const { verb, kind, target, body, patch, options } = write;
  if (verb === "create" && planned !== null) {
    throw failures.alreadyExists(resourceOf(kind), target.name ?? "");
  }
  if (verb === "create" || (verb === "apply" && planned === null)) return asSent(write);
  const before = existing(planned, write);
  if (verb === "delete") return undefined;
  const document = before as unknown as Json;
  const after =
    verb === "update"
      ? body
      : patch === "json"
        ? applyJsonPatch(document, body)
        : applyMergePatch(document, body as Json);
  const object = after as KubeObject;
  return options?.subresource === "status" ? { ...before, status: object.status } : object;
}

/** The object as it is sent, without the server's defaults. */
function asSent({ kind: { apiVersion, kind }, target: { name, namespace }, body }: ObjectWrite): KubeObject {
  const object = body as KubeObject;
  return {
    ...object,
    apiVersion,
    kind,
    metadata: { ...object.metadata, ...(name && { name }), ...(namespace && { namespace }) },
  };
}

function addressOf(
  kind: KindInfo,
  { namespace, name = "" }: { readonly namespace?: string | undefined; readonly name?: string | undefined },
): string {
  return `${kindKey(kind)} ${joinKey(namespace, name)}`;
}

function resourceOf({ apiVersion, plural }: KindInfo): { group: string; resource: string } {
  return { group: parseApiVersion(apiVersion)?.group ?? "", resource: plural };
}

function existing(planned: KubeObject | null, { kind, target }: ObjectWrite): KubeObject {
  if (planned === null) throw failures.notFound(resourceOf(kind), target.name ?? "");
  return planned;
}
