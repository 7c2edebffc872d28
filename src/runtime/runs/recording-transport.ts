import type { KindInfo } from "../../client/kinds/kind.js";
import type { Transport, WriteOptions } from "../../client/transport/transport.js";
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
export function recordingTransport(base: Transport, recording: Recording): Transport {
  const { clock, dryRun, around } = recording;

  async function record(
    verb: WriteRecord["verb"],
    kind: KindInfo,
    { namespace = "", name = "" }: { readonly namespace?: string | undefined; readonly name?: string },
    subresource: string | undefined,
    write: () => Promise<KubeObject | undefined>,
  ): Promise<KubeObject | undefined> {
    recording.guard?.();
    const before = name === "" ? undefined : recording.before?.(kind, namespace, name);
    const facts = { verb, kind, namespace, subresource, at: clock.now(), before };
    try {
      const after = await (around === undefined
        ? write()
        : around({ verb, kind: kind.kind, namespace, name, subresource }, write));
      recording.wrote({ ...facts, name: name || (after?.metadata.name ?? ""), after });
      return after;
    } catch (error) {
      recording.wrote({ ...facts, name, error: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  const writing = (options: WriteOptions | undefined): WriteOptions | undefined =>
    dryRun ? { ...options, dryRun } : options;
  const needed = (object: KubeObject | undefined): KubeObject => {
    if (object === undefined) throw new Error("the server answered a write with nothing");
    return object;
  };

  return {
    discover: (apiVersion, options) => base.discover(apiVersion, options),
    get: (kind, target, options) => base.get(kind, target, options),
    list: (kind, scope, options) => base.list(kind, scope, options),
    watch: (kind, scope, options) => base.watch(kind, scope, options),
    create: async (kind, scope, body, options) => {
      const { name } = (body as KubeObject).metadata ?? {};
      const target = { ...scope, ...(name !== undefined && { name }) };
      return needed(
        await record("create", kind, target, options?.subresource, () =>
          base.create(kind, scope, body, writing(options)),
        ),
      );
    },
    update: async (kind, target, body, options) =>
      needed(
        await record("update", kind, target, options?.subresource, () =>
          base.update(kind, target, body, writing(options)),
        ),
      ),
    patch: async (kind, target, patch, options) =>
      needed(
        await record(patch.type === "apply" ? "apply" : "patch", kind, target, options?.subresource, () =>
          base.patch(kind, target, patch, writing(options)),
        ),
      ),
    delete: (kind, target, options) =>
      record("delete", kind, target, undefined, () =>
        base.delete(kind, target, dryRun ? { ...options, dryRun } : options),
      ),
    deleteCollection: async (kind, scope, selection, options) => {
      await record("deleteCollection", kind, scope, undefined, async () => {
        await base.deleteCollection(kind, scope, selection, dryRun ? { ...options, dryRun } : options);
        return undefined;
      });
    },
    // The connection outlives the run.
    [Symbol.asyncDispose]: async () => {},
  };
}
