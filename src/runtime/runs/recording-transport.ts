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
import type { Clock, KubeObject } from "../../model/core.js";
import type { WriteFacts } from "../observe/observer.js";
import type { WriteRecord } from "./run.js";

export interface Recording {
  readonly clock: Clock;
  /** Called before every write; throws when it must not take place. */
  guard?(): void;
  /** What is known of an object before it is written. */
  before?(kind: KindInfo, namespace: string, name: string): KubeObject | undefined;
  wrote(record: WriteRecord): void;
  /** Wraps each write, such as in a span of a trace. */
  readonly around?: (<T>(write: WriteFacts, work: () => Promise<T>) => Promise<T>) | undefined;
  /** Everything is asked of the server but not done. */
  readonly dryRun?: boolean | undefined;
}

/** A transport whose writes are recorded: those of one run. */
export class RecordingTransport implements Transport {
  readonly #base: Transport;
  readonly #recording: Recording;

  constructor(base: Transport, recording: Recording) {
    this.#base = base;
    this.#recording = recording;
  }

  discover(apiVersion: string, options?: CallOptions): Promise<readonly KindInfo[]> {
    return this.#base.discover(apiVersion, options);
  }

  get(kind: KindInfo, target: Target, options?: GetOptions): Promise<KubeObject> {
    return this.#base.get(kind, target, options);
  }

  list(kind: KindInfo, scope: Scope, options?: ListOptions): Promise<Page> {
    return this.#base.list(kind, scope, options);
  }

  watch(kind: KindInfo, scope: Scope, options?: WatchOptions): AsyncIterable<readonly WatchEvent[]> {
    return this.#base.watch(kind, scope, options);
  }

  create(kind: KindInfo, scope: Scope, body: unknown, options?: WriteOptions): Promise<KubeObject> {
    const { name } = (body as KubeObject).metadata ?? {};
    return this.#record("create", kind, { namespace: scope.namespace, name }, options?.subresource, () =>
      this.#base.create(kind, scope, body, this.#asked(options)),
    );
  }

  update(kind: KindInfo, target: Target, body: unknown, options?: WriteOptions): Promise<KubeObject> {
    return this.#record("update", kind, target, options?.subresource, () =>
      this.#base.update(kind, target, body, this.#asked(options)),
    );
  }

  patch(kind: KindInfo, target: Target, patch: Patch, options?: WriteOptions): Promise<KubeObject> {
    return this.#record(patch.type === "apply" ? "apply" : "patch", kind, target, options?.subresource, () =>
      this.#base.patch(kind, target, patch, this.#asked(options)),
    );
  }

  delete(kind: KindInfo, target: Target, options?: DeleteOptions): Promise<KubeObject | undefined> {
    return this.#record("delete", kind, target, undefined, () =>
      this.#base.delete(kind, target, this.#asked(options)),
    );
  }

  async deleteCollection(
    kind: KindInfo,
    scope: Scope,
    selection?: Selection,
    options?: DeleteOptions,
  ): Promise<readonly KubeObject[]> {
    let deleted: readonly KubeObject[] = [];
    await this.#record("deleteCollection", kind, scope, undefined, async () => {
      deleted = await this.#base.deleteCollection(kind, scope, selection, this.#asked(options));
      return undefined;
    });
    return deleted;
  }

  /** The connection outlives the run. */
  async [Symbol.asyncDispose](): Promise<void> {}

  #asked<Options extends WriteOptions | DeleteOptions>(options: Options | undefined): Options | undefined {
    const { dryRun } = this.#recording;
    return dryRun ? { ...(options as Options), dryRun } : options;
  }

  async #record<Answer extends KubeObject | undefined>(
    verb: WriteRecord["verb"],
    kind: KindInfo,
    { namespace = "", name = "" }: Place,
    subresource: string | undefined,
    write: () => Promise<Answer>,
  ): Promise<Answer> {
    const recording = this.#recording;
    recording.guard?.();
    const at = recording.clock.now();
    const before = name === "" ? undefined : recording.before?.(kind, namespace, name);
    const { around } = recording;
    try {
      const after = await (around === undefined
        ? write()
        : around({ verb, kind: kind.kind, namespace, name, subresource }, write));
      const known = name || (after?.metadata.name ?? "");
      recording.wrote({ verb, kind, namespace, name: known, subresource, at, before, after });
      return after;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      recording.wrote({ verb, kind, namespace, name, subresource, at, before, error: message });
      throw error;
    }
  }
}

interface Place {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}
