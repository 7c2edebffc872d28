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
  ObjectKey,
  Transport,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../../client/transport/transport.js";
import { isNotFound, type Clock, type KubeObject } from "../../model/core.js";
import { kindKey } from "../controller.js";
import { joinKey } from "../loop/keys.js";
import { messageOf } from "../message-of.js";
import type { WriteFacts } from "../observe/observer.js";
import type { WriteRecord } from "./run.js";

export interface Recording {
  readonly clock: Clock;
  /** Called before every write; throws to prevent it. */
  guard?(): void;
  /** Cached object before a write: null when there is none, undefined when its kind is not watched. */
  before?(kind: KindInfo, namespace: string, name: string): KubeObject | null | undefined;
  wrote(record: WriteRecord): void;
  /** Wraps each write, such as in a span of a trace. */
  readonly around?: (<T>(write: WriteFacts, work: () => Promise<T>) => Promise<T>) | undefined;
}

/** Records the writes of one run. */
export class RecordingTransport implements Transport {
  readonly #base: Transport;
  readonly #recording: Recording;
  /**
   * Objects of unwatched kinds as this run last read or wrote them, null for absent ones. Created with the first of them,
   * since most runs have none.
   */
  #lastSeen: Map<string, KubeObject | null> | undefined;

  constructor(base: Transport, recording: Recording) {
    this.#base = base;
    this.#recording = recording;
  }

  get namespace(): string | undefined {
    return this.#base.namespace;
  }

  discover(apiVersion: string, options?: CallOptions): Promise<readonly KindInfo[]> {
    return this.#base.discover(apiVersion, options);
  }

  async get(kind: KindInfo, target: ObjectKey, options?: GetOptions): Promise<KubeObject> {
    const { name, namespace = "" } = target;
    const isWhole = options?.metadataOnly !== true && options?.subresource !== "scale";
    try {
      const object = await this.#base.get(kind, target, options);
      if (isWhole && !this.#isWatched(kind)) this.#remember(kind, namespace, name, object);
      return object;
    } catch (error) {
      if (isNotFound(error) && !this.#isWatched(kind)) this.#remember(kind, namespace, name, null);
      throw error;
    }
  }

  async list(kind: KindInfo, scope: Scope, options?: ListOptions): Promise<Page> {
    const page = await this.#base.list(kind, scope, options);
    if (options?.metadataOnly === true || this.#isWatched(kind)) return page;
    for (const object of page.items) {
      const { namespace = "", name = "" } = object.metadata;
      this.#remember(kind, namespace, name, object);
    }
    return page;
  }

  watch(kind: KindInfo, scope: Scope, options?: WatchOptions): AsyncIterable<readonly WatchEvent[]> {
    return this.#base.watch(kind, scope, options);
  }

  create(kind: KindInfo, scope: Scope, body: unknown, options?: WriteOptions): Promise<KubeObject> {
    const { name } = (body as KubeObject).metadata ?? {};
    const place = { namespace: scope.namespace, name };
    return this.#record("create", kind, place, options, undefined, () =>
      this.#base.create(kind, scope, body, options),
    );
  }

  update(kind: KindInfo, target: ObjectKey, body: unknown, options?: WriteOptions): Promise<KubeObject> {
    return this.#record("update", kind, target, options, body, () =>
      this.#base.update(kind, target, body, options),
    );
  }

  patch(kind: KindInfo, target: ObjectKey, patch: Patch, options?: WriteOptions): Promise<KubeObject> {
    const verb = patch.type === "apply" ? "apply" : "patch";
    return this.#record(verb, kind, target, options, patch.body, () =>
      this.#base.patch(kind, target, patch, options),
    );
  }

  delete(kind: KindInfo, target: ObjectKey, options?: DeleteOptions): Promise<KubeObject | undefined> {
    return this.#record("delete", kind, target, options, undefined, () =>
      this.#base.delete(kind, target, options),
    );
  }

  async deleteCollection(
    kind: KindInfo,
    scope: Scope,
    selection?: Selection,
    options?: DeleteOptions,
  ): Promise<readonly KubeObject[]> {
    let deleted: readonly KubeObject[] = [];
    await this.#record("deleteCollection", kind, scope, options, undefined, async () => {
      deleted = await this.#base.deleteCollection(kind, scope, selection, options);
      return undefined;
    });
    return deleted;
  }

  /** The connection outlives the run. */
  async [Symbol.asyncDispose](): Promise<void> {}

  /** Also true when objects before writes are not recorded, since nothing has to be remembered then. */
  #isWatched(kind: KindInfo): boolean {
    const recording = this.#recording;
    return recording.before === undefined || recording.before(kind, "", "") !== undefined;
  }

  #remember(kind: KindInfo, namespace: string, name: string, object: KubeObject | null): void {
    this.#lastSeen ??= new Map();
    this.#lastSeen.set(addressOf(kind, namespace, name), object);
  }

  async #record<Result extends KubeObject | undefined>(
    verb: WriteRecord["verb"],
    kind: KindInfo,
    { namespace = "", name = "" }: Place,
    options: Pick<WriteOptions, "subresource" | "dryRun"> | undefined,
    body: unknown,
    write: () => Promise<Result>,
  ): Promise<Result> {
    // A dry run writes nothing.
    if (options?.dryRun === true) return write();
    const subresource = options?.subresource;
    const recording = this.#recording;
    recording.guard?.();
    const at = recording.clock.now();
    const watched = recording.before?.(kind, namespace, name);
    // A Scale cannot be compared with its object.
    const isScale = subresource === "scale";
    const cached = watched === undefined ? this.#lastSeen?.get(addressOf(kind, namespace, name)) : watched;
    const before = isScale ? undefined : (cached ?? undefined);
    // An apply to an object that is known to be absent creates it, which is a difference too.
    const isKnown = !isScale && (verb === "apply" ? cached !== undefined : before !== undefined);
    const sent = isKnown ? undefined : body;
    const { around } = recording;
    try {
      const after = await (around === undefined
        ? write()
        : around({ verb, kind: kind.kind, namespace, name, subresource }, write));
      const writtenName = name || (after?.metadata.name ?? "");
      recording.wrote({ verb, kind, namespace, name: writtenName, subresource, at, before, after, sent });
      // The response does not list the deleted objects.
      if (verb === "deleteCollection") this.#lastSeen = undefined;
      else if (watched === undefined && recording.before !== undefined && !isScale) {
        this.#remember(kind, namespace, writtenName, after ?? null);
      }
      return after;
    } catch (error) {
      recording.wrote({ verb, kind, namespace, name, subresource, at, before, error: messageOf(error) });
      throw error;
    }
  }
}

interface Place {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

function addressOf(kind: KindInfo, namespace: string, name: string): string {
  return `${kindKey(kind)} ${joinKey(namespace, name)}`;
}
