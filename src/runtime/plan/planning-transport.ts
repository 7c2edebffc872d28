import type { KindInfo } from "../../client/kinds/kind.js";
import type {
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  Page,
  Patch,
  Scope,
  Selection,
  Target,
  Transport,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../../client/transport/transport.js";
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
import { changeOf, type PlannedChange } from "./planned-change.js";

/** What is in the caches of an object. */
type Cached = (kind: KindInfo, namespace: string, name: string) => KubeObject | undefined;

/** What is planned of an object: how it would be, null for one that would be gone. Undefined when nothing is. */
type Planned = KubeObject | null | undefined;

interface Write {
  readonly verb: "create" | "update" | "patch" | "apply" | "delete";
  readonly kind: KindInfo;
  readonly target: Target;
  /** The whole object as it is wanted, where that is what is sent. */
  readonly wanted?: unknown;
  readonly options: WriteOptions | DeleteOptions | undefined;
}

/**
 * The way to the API for a plan: the server is asked what would come of each write, and nothing is done. An object that was
 * planned to be made, changed or deleted is read as it would be then, and the next write to it is laid over that, as near as
 * can be told without the server. Lists are as they are.
 */
export class PlanningTransport implements Transport {
  readonly changes: PlannedChange[] = [];
  readonly #base: Transport;
  readonly #cached: Cached;
  readonly #planned = new Map<string, KubeObject | null>();

  constructor(base: Transport, cached: Cached) {
    this.#base = base;
    this.#cached = cached;
  }

  get namespace(): string | undefined {
    return this.#base.namespace;
  }

  /** How an object would be by now, as far as it can be told without asking. */
  known(kind: KindInfo, namespace: string, name: string): KubeObject | undefined {
    const planned = this.#planned.get(addressOf(kind, { namespace, name }));
    return planned === undefined ? this.#cached(kind, namespace, name) : (planned ?? undefined);
  }

  discover(apiVersion: string, options?: CallOptions): Promise<readonly KindInfo[]> {
    return this.#base.discover(apiVersion, options);
  }

  async get(kind: KindInfo, target: Target, options?: GetOptions): Promise<KubeObject> {
    const planned = this.#planned.get(addressOf(kind, target));
    if (planned === undefined || options?.subresource === "scale") {
      return this.#base.get(kind, target, options);
    }
    const object = present(planned, kind, target);
    if (options?.metadataOnly !== true) return object;
    return { apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata };
  }

  list(kind: KindInfo, scope: Scope, options?: ListOptions): Promise<Page> {
    return this.#base.list(kind, scope, options);
  }

  watch(kind: KindInfo, scope: Scope, options?: WatchOptions): AsyncIterable<readonly WatchEvent[]> {
    return this.#base.watch(kind, scope, options);
  }

  create(kind: KindInfo, scope: Scope, body: unknown, options?: WriteOptions): Promise<KubeObject> {
    const { name = "" } = (body as KubeObject).metadata ?? {};
    const target = { name, namespace: scope.namespace };
    return this.#plan({ verb: "create", kind, target, wanted: body, options }, async (planned) => {
      if (planned === undefined) return this.#base.create(kind, scope, body, { ...options, dryRun: true });
      if (planned !== null) throw failures.alreadyExists(resourceOf(kind), name);
      return asSent(kind, target, body);
    });
  }

  update(kind: KindInfo, target: Target, body: unknown, options?: WriteOptions): Promise<KubeObject> {
    return this.#plan({ verb: "update", kind, target, wanted: body, options }, async (planned) => {
      if (planned === undefined) return this.#base.update(kind, target, body, { ...options, dryRun: true });
      return written(present(planned, kind, target), body, options);
    });
  }

  patch(kind: KindInfo, target: Target, patch: Patch, options?: WriteOptions): Promise<KubeObject> {
    const isApply = patch.type === "apply";
    const write = { verb: isApply ? "apply" : "patch", kind, target, options } as const;
    return this.#plan(isApply ? { ...write, wanted: patch.body } : write, async (planned) => {
      if (planned === undefined) return this.#base.patch(kind, target, patch, { ...options, dryRun: true });
      if (planned === null && isApply) return asSent(kind, target, patch.body);
      const object = present(planned, kind, target);
      return written(object, patched(object, patch), options);
    });
  }

  delete(kind: KindInfo, target: Target, options?: DeleteOptions): Promise<KubeObject | undefined> {
    return this.#plan({ verb: "delete", kind, target, options }, async (planned) => {
      if (planned === undefined) return this.#base.delete(kind, target, { ...options, dryRun: true });
      present(planned, kind, target);
      return undefined;
    });
  }

  async deleteCollection(
    kind: KindInfo,
    scope: Scope,
    selection?: Selection,
    options?: DeleteOptions,
  ): Promise<readonly KubeObject[]> {
    try {
      const asked = { ...options, dryRun: true };
      const all = await this.#base.deleteCollection(kind, scope, selection, asked);
      const deleted = all.filter(({ metadata }) => this.#planned.get(addressOf(kind, metadata)) !== null);
      for (const object of deleted) {
        this.#planned.set(addressOf(kind, object.metadata), null);
        this.changes.push(changeOf("delete", kind, object, undefined));
      }
      return deleted;
    } catch (error) {
      const { namespace = "" } = scope;
      this.changes.push({
        ...changeOf("delete", kind, undefined, undefined),
        namespace,
        problem: messageOf(error),
      });
      throw error;
    }
  }

  /** The connection outlives the plan. */
  async [Symbol.asyncDispose](): Promise<void> {}

  async #plan<Answer extends KubeObject | undefined>(
    write: Write,
    ask: (planned: Planned) => Promise<Answer>,
  ): Promise<Answer> {
    const { verb, kind, target, wanted, options } = write;
    const isScale = options !== undefined && "subresource" in options && options.subresource === "scale";
    const planned = isScale ? undefined : this.#planned.get(addressOf(kind, target));
    const before = planned === undefined ? await this.#look(write) : (planned ?? undefined);
    const isNew = verb === "create" || (before === undefined && verb !== "patch");
    const action = verb === "delete" ? "delete" : isNew ? "create" : "update";
    try {
      const answer = await ask(planned);
      // A Scale is not the object, and tells nothing of what it becomes.
      const after = isScale ? before : verb === "delete" ? undefined : answer;
      this.#note(action, write, before, after);
      if (!isScale) this.#planned.set(addressOf(kind, answer?.metadata ?? target), answer ?? null);
      return answer;
    } catch (error) {
      const after = verb === "delete" ? undefined : ((wanted as KubeObject | undefined) ?? before);
      this.#note(action, write, before, after, messageOf(error));
      throw error;
    }
  }

  #note(
    action: PlannedChange["action"],
    { kind, target }: Write,
    before: KubeObject | undefined,
    after: KubeObject | undefined,
    problem?: string,
  ): void {
    const change = changeOf(action, kind, before, after);
    this.changes.push({
      ...change,
      name: change.name || target.name,
      namespace: change.namespace || (target.namespace ?? ""),
      ...(problem !== undefined && { problem }),
    });
  }

  /** What is there of an object that nothing is planned of. When nobody tells, it is taken for new. */
  async #look({ verb, kind, target, options }: Write): Promise<KubeObject | undefined> {
    if (verb === "create") return undefined;
    const { name, namespace = "" } = target;
    const { signal } = options ?? {};
    try {
      return this.#cached(kind, namespace, name) ?? (await this.#base.get(kind, target, { signal }));
    } catch {
      signal?.throwIfAborted();
      return undefined;
    }
  }
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

function present(planned: KubeObject | null, kind: KindInfo, { name }: Target): KubeObject {
  if (planned === null) throw failures.notFound(resourceOf(kind), name);
  return planned;
}

/** What would be made, but for the server's defaults. */
function asSent({ apiVersion, kind }: KindInfo, { name, namespace }: Target, body: unknown): KubeObject {
  const object = body as KubeObject;
  return {
    ...object,
    apiVersion,
    kind,
    metadata: { ...object.metadata, name, ...(namespace && { namespace }) },
  };
}

/** An object after it was replaced, or its status alone. */
function written(before: KubeObject, body: unknown, options: WriteOptions | undefined): KubeObject {
  const object = body as KubeObject;
  return options?.subresource === "status" ? { ...before, status: object.status } : object;
}

function patched(object: KubeObject, { type, body }: Patch): unknown {
  const document = object as unknown as Json;
  return type === "json" ? applyJsonPatch(document, body) : applyMergePatch(document, body as Json);
}
