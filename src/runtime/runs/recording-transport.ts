import type { KindInfo } from "../../client/kinds/kind.js";
import type {
  DeleteOptions,
  GetOptions,
  ListOptions,
  Page,
  Transport,
} from "../../client/transport/transport.js";
import type { ObjectKey, Scope } from "../../model/object/object-key.js";
import { isNotFound, type Clock, type KubeObject } from "../../model/core.js";
import { joinKey, kindKey } from "../controller/keys.js";
import { messageOf } from "../log/message-of.js";
import { wrapTransport, type ObjectWrite, type TransportHooks } from "../transport/wrap-transport.js";
import type { WriteFacts, WriteRecord } from "./run.js";

/** Receiver of the records of writes, which may also refuse a write. */
export interface WriteRecorder {
  readonly clock: Clock;
  /** Called before every write; throws if it must not take place. */
  guard?(): void;
  /** The cached state of an object before a write: null if it does not exist, undefined if its kind is not watched. */
  before?(kind: KindInfo, namespace: string, name: string): KubeObject | null | undefined;
  wrote(record: WriteRecord): void;
  /** Wraps each write, such as in a span of a trace. */
  readonly around?: (<T>(write: WriteFacts, work: () => Promise<T>) => Promise<T>) | undefined;
}

/** A transport whose writes are guarded and recorded: that of one run. */
export function recordingTransport(base: Transport, recorder: WriteRecorder): Transport {
  return wrapTransport(base, new RecordingHooks(recorder));
}

class RecordingHooks implements TransportHooks {
  readonly #recorder: WriteRecorder;
  /**
   * Objects of kinds that are not watched, as last read or written here; null for those that do not exist. Made on first
   * use, as most runs have none.
   */
  #seen: Map<string, KubeObject | null> | undefined;

  constructor(recorder: WriteRecorder) {
    this.#recorder = recorder;
  }

  async get(
    kind: KindInfo,
    { name, namespace = "" }: ObjectKey,
    options: GetOptions | undefined,
    send: () => Promise<KubeObject>,
  ): Promise<KubeObject> {
    const isWhole = options?.metadataOnly !== true && options?.subresource !== "scale";
    try {
      const object = await send();
      if (isWhole && !this.#isWatched(kind)) this.#see(kind, namespace, name, object);
      return object;
    } catch (error) {
      if (isNotFound(error) && !this.#isWatched(kind)) this.#see(kind, namespace, name, null);
      throw error;
    }
  }

  async list(kind: KindInfo, options: ListOptions | undefined, send: () => Promise<Page>): Promise<Page> {
    const page = await send();
    if (options?.metadataOnly === true || this.#isWatched(kind)) return page;
    for (const object of page.items) {
      const { namespace = "", name = "" } = object.metadata;
      this.#see(kind, namespace, name, object);
    }
    return page;
  }

  async write(
    { verb, kind, target: { namespace = "", name = "" }, body, options }: ObjectWrite,
    send: () => Promise<KubeObject | undefined>,
  ): Promise<KubeObject | undefined> {
    // A dry run changes nothing.
    if (options?.dryRun === true) return send();
    const subresource = options?.subresource;
    const recorder = this.#recorder;
    recorder.guard?.();
    const at = recorder.clock.now();
    const watched = recorder.before?.(kind, namespace, name);
    // A Scale is not the object, and cannot be compared with it.
    const isScale = subresource === "scale";
    const known = watched === undefined ? this.#seen?.get(addressOf(kind, namespace, name)) : watched;
    const before = isScale ? undefined : (known ?? undefined);
    // Only an apply may create the object.
    const isKnown = !isScale && (verb === "apply" ? known !== undefined : before !== undefined);
    const sent = isKnown || verb === "create" ? undefined : body;
    const { around } = recorder;
    try {
      const after = await (around === undefined
        ? send()
        : around({ verb, kind: kind.kind, namespace, name, subresource }, send));
      const finalName = name || (after?.metadata.name ?? "");
      recorder.wrote({ verb, kind, namespace, name: finalName, subresource, at, before, after, sent });
      if (watched === undefined && recorder.before !== undefined && !isScale) {
        this.#see(kind, namespace, finalName, after ?? null);
      }
      return after;
    } catch (error) {
      recorder.wrote({ verb, kind, namespace, name, subresource, at, before, error: messageOf(error) });
      throw error;
    }
  }

  async deleteCollection(
    kind: KindInfo,
    { namespace = "" }: Scope,
    options: DeleteOptions | undefined,
    send: () => Promise<readonly KubeObject[]>,
  ): Promise<readonly KubeObject[]> {
    if (options?.dryRun === true) return send();
    const recorder = this.#recorder;
    recorder.guard?.();
    const record = {
      verb: "deleteCollection",
      kind,
      namespace,
      name: "",
      at: recorder.clock.now(),
    } as const;
    const { around } = recorder;
    try {
      const deleted = await (around === undefined
        ? send()
        : around({ verb: record.verb, kind: kind.kind, namespace, name: "" }, send));
      recorder.wrote(record);
      // The response need not list all objects that were deleted.
      this.#seen = undefined;
      return deleted;
    } catch (error) {
      recorder.wrote({ ...record, error: messageOf(error) });
      throw error;
    }
  }

  /** Also true when the state before writes is not recorded: then nothing needs to be remembered. */
  #isWatched(kind: KindInfo): boolean {
    const recorder = this.#recorder;
    return recorder.before === undefined || recorder.before(kind, "", "") !== undefined;
  }

  #see(kind: KindInfo, namespace: string, name: string, object: KubeObject | null): void {
    this.#seen ??= new Map();
    this.#seen.set(addressOf(kind, namespace, name), object);
  }
}

function addressOf(kind: KindInfo, namespace: string, name: string): string {
  return `${kindKey(kind)} ${joinKey(namespace, name)}`;
}
