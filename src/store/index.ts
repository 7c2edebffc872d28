export type {
  Mutation,
  Delete,
  DeleteEvent,
  Entry,
  Put,
  PutEvent,
  RangeOptions,
  RangeResult,
  Store,
  StoreStatus,
  StoreWatch,
  WatchBatch,
  WatchBuffer,
  StoreEvent,
  StoreWatchOptions,
} from "./store.js";
export {
  Compacted,
  Conflict,
  FutureRevision,
  InvalidCommit,
  SlowWatcher,
  StoreClosed,
  StoreDamaged,
  StoreError,
  StoreFailed,
  StoreForeign,
  StoreFull,
  StoreInUse,
  StoreUnusable,
  Uncertain,
} from "./errors.js";
export { maxMutations, maxKeyBytes } from "./keys.js";
export type { RetentionPolicy } from "./retention.js";
export { MemoryStore, type MemoryStoreOptions } from "./memory/memory-store.js";
export { verifySqliteStore } from "./sqlite/verify.js";
export { openSqliteStore, type SqliteStoreOptions } from "./sqlite/sqlite-store.js";
