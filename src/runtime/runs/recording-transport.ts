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
import { isNotFound, type Clock, type KubeObject } from "../../model/core.js";
import { joinKey, kindKey } from "../controller/keys.js";
import { messageOf } from "../log/message-of.js";
import type { WriteFacts, WriteRecord } from "./run.js";

export interface Recording {
  readonly clock: Clock;
  /** Called before every write; throws when it must not take place. */
  guard?(): void;
  /** How an object is before it is written: null when it is not there, undefined when its kind is not watched. */
  before?(kind: KindInfo, namespace: string, name: string): KubeObject | null | undefined;
  wrote(record: WriteRecord): void;
  /** Wraps each write, such as in a span of a trace. */
  readonly around?: (<T>(write: WriteFacts, work: () => Promise<T>) => Promise<T>) | undefined;
}

/** A transport whose writes are recorded: those of one run. */
export class RecordingTransport implements Transport {
  readonly #base: Transport;
  readonly #recording: Recording;
  /**
   * Of kinds that are not watched, what was read and written here: null for what is not there. Made with the first of them,
   * as most runs have none.
   */
  #seen: Map<string, KubeObject | null> | undefined;

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

  async get(kind: KindInfo, target: Target, options?: GetOptions): Promise<KubeObject> {
    const { name, namespace = "" } = target;
    const isWhole = options?.metadataOnly !== true && options?.subresource !== "scale";
    try {
      const object = await this.#base.get(kind, target, options);
      if (isWhole && !this.#isWatched(kind)) this.#see(kind, namespace, name, object);
      return object;
    } catch (error) {
      if (isNotFound(error) && !this.#isWatched(kind)) this.#see(kind, namespace, name, null);
      throw error;
    }
  }

  async list(kind: KindInfo, scope: Scope, options?: ListOptions): Promise<Page> {
    const page = await this.#base.list(kind, scope, options);
    if (options?.metadataOnly === true || this.#isWatched(kind)) return page;
    for (const object of page.items) {
      const { namespace = "", name = "" } = object.metadata;
      this.#see(kind, namespace, name, object);
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

  update(kind: KindInfo, target: Target, body: unknown, options?: WriteOptions): Promise<KubeObject> {
    return this.#record("update", kind, target, options, body, () =>
      this.#base.update(kind, target, body, options),
    );
  }

  patch(kind: KindInfo, target: Target, patch: Patch, options?: WriteOptions): Promise<KubeObject> {
    const verb = patch.type === "apply" ? "apply" : "patch";
    return this.#record(verb, kind, target, options, patch.body, () =>
      this.#base.patch(kind, target, patch, options),
    );
  }

  delete(kind: KindInfo, target: Target, options?: DeleteOptions): Promise<KubeObject | undefined> {
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

  /** Also when nobody asks how objects were before: then nothing needs to be seen either. */
  #isWatched(kind: KindInfo): boolean {
    const recording = this.#recording;
    return recording.before === undefined || recording.before(kind, "", "") !== undefined;
  }

  #see(kind: KindInfo, namespace: string, name: string, object: KubeObject | null): void {
    this.#seen ??= new Map();
    this.#seen.set(addressOf(kind, namespace, name), object);
  }

  async #record<Answer extends KubeObject | undefined>(
    verb: WriteRecord["verb"],
    kind: KindInfo,
    { namespace = "", name = "" }: Place,
    options: Pick<WriteOptions, "subresource" | "dryRun"> | undefined,
    body: unknown,
    write: () => Promise<Answer>,
  ): Promise<Answer> {
    // One that only asks is no write.
    if (options?.dryRun === true) return write();
    const subresource = options?.subresource;
    const recording = this.#recording;
    recording.guard?.();
    const at = recording.clock.now();
    const watched = recording.before?.(kind, namespace, name);
    // A Scale is not the object, and cannot be compared with it.
    const isScale = subresource === "scale";
    const known = watched === undefined ? this.#seen?.get(addressOf(kind, namespace, name)) : watched;
    const before = isScale ? undefined : (known ?? undefined);
    // Only what is applied may be new.
    const isKnown = !isScale && (verb === "apply" ? known !== undefined : before !== undefined);
    const sent = isKnown ? undefined : body;
    const { around } = recording;
    try {
      const after = await (around === undefined
        ? write()
        : around({ verb, kind: kind.kind, namespace, name, subresource }, write));
      const itsName = name || (after?.metadata.name ?? "");
      recording.wrote({ verb, kind, namespace, name: itsName, subresource, at, before, after, sent });
      // Which ones are gone with a whole collection is not told.
      if (verb === "deleteCollection") this.#seen = undefined;
      else if (watched === undefined && recording.before !== undefined && !isScale) {
        this.#see(kind, namespace, itsName, after ?? null);
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
