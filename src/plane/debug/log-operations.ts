import type { StateBackend } from "../../events/state/state-backend.js";
import type { DebugSwitches } from "../../runtime/log/debug-switches.js";
import { lazyChild, type Log } from "../../runtime/log/log.js";
import { messageOf } from "../../runtime/log/message-of.js";
import type { Mutation, RangeOptions, Store, StoreWatchOptions } from "../../store/index.js";

/** Keys of a commit that are logged. */
const maxKeys = 20;

/**
 * A store whose operations are logged while `log_operations` of the component `state_store` is on. Values are not logged: they may be
 * secret.
 */
export function logOperations(store: Store, switches: DebugSwitches, parent: Log): Store {
  const log = componentLog(parent);
  const logged = operationLog("store", switches, log);
  return {
    get: (key, options) =>
      logged(
        "get",
        () => ({ key, ...options }),
        () => store.get(key, options),
        (entry) => ({
          revision: entry?.revision ?? 0,
        }),
      ),
    range: (options) =>
      logged(
        "range",
        () => rangeFields(options),
        () => store.range(options),
        ({ entries, revision }) => ({
          count: entries.length,
          revision,
        }),
      ),
    count: (options) =>
      logged(
        "count",
        () => rangeFields(options),
        () => store.count(options),
        (result) => result,
      ),
    commit: (mutations) =>
      logged(
        "commit",
        () => commitFields(mutations),
        () => store.commit(mutations),
        (result) => result,
      ),
    watch(options: StoreWatchOptions) {
      const { prefix, from } = options;
      if (switches.isOn("log_operations")) log.info({ operation: "watch", prefix, from }, "store watch");
      return store.watch(options);
    },
    compact: (revision) =>
      logged(
        "compact",
        () => ({ revision }),
        () => store.compact(revision),
      ),
    status: () => store.status(),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

/** The same for the backend of the state. Reads that its cache answers do not reach the backend. */
export function logStateOperations(backend: StateBackend, switches: DebugSwitches, log: Log): StateBackend {
  const logged = operationLog("state", switches, componentLog(log));
  const about = { backend: backend.name };
  return {
    name: backend.name,
    get: (key) =>
      logged(
        "get",
        () => ({ ...about, key }),
        () => backend.get(key),
        (found) => ({ found: found !== undefined }),
      ),
    set: (key, json, ttl) =>
      logged(
        "set",
        () => ({ ...about, key, size: json.length, ttl }),
        () => backend.set(key, json, ttl),
      ),
    delete: (key) =>
      logged(
        "delete",
        () => ({ ...about, key }),
        () => backend.delete(key),
      ),
    keys: (glob, limit) =>
      logged(
        "keys",
        () => ({ ...about, prefix: glob.prefix }),
        () => backend.keys(glob, limit),
        (keys) => ({
          count: keys.length,
        }),
      ),
    subscribe: (listener) => backend.subscribe(listener),
    [Symbol.asyncDispose]: async () => backend[Symbol.asyncDispose](),
  };
}

function componentLog(log: Log): Log {
  return lazyChild(log, () => ({ component: "state_store" }));
}

/** Function that performs an operation, and logs it while the switch is on. */
function operationLog(what: "store" | "state", switches: DebugSwitches, log: Log) {
  return <T>(
    operation: string,
    describe: () => object,
    perform: () => Promise<T>,
    describeResult: (result: T) => object = () => ({}),
  ): Promise<T> => {
    if (!switches.isOn("log_operations")) return perform();
    const started = performance.now();
    const about = { operation, ...describe() };
    const took = (): { readonly took: number } => ({
      took: Math.round((performance.now() - started) * 100) / 100,
    });
    return perform().then(
      (result) => {
        log.info({ ...about, ...describeResult(result), ...took() }, `${what} ${operation}`);
        return result;
      },
      (error: unknown) => {
        log.info({ ...about, failure: messageOf(error), ...took() }, `${what} ${operation} failed`);
        throw error;
      },
    );
  };
}

function rangeFields({ prefix, after, revision }: RangeOptions): object {
  return { prefix, ...(after !== undefined && { after }), ...(revision !== undefined && { at: revision }) };
}

function commitFields(mutations: readonly Mutation[]): object {
  const keys = mutations.slice(0, maxKeys).map(({ type, key }) => `${type} ${key}`);
  return { keys, ...(mutations.length > maxKeys && { more: mutations.length - maxKeys }) };
}
