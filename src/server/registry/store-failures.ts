import { failures } from "../../model/core.js";
import { internal } from "../../model/errors/api-error.js";
import {
  Compacted,
  FutureRevision,
  StoreClosed,
  StoreError,
  StoreFull,
  Uncertain,
} from "../../store/index.js";

/** The ApiError for what a store threw; other errors stay what they are. */
export function asFailure(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  if (error instanceof Compacted) {
    return failures.resourceExpired(`too old resource version: ${error.revision} (${error.floor})`);
  }
  if (error instanceof FutureRevision)
    return failures.tooLargeResourceVersion(error.revision, error.newest, 1);
  if (error instanceof StoreFull) return failures.serviceUnavailable(`the store is full: ${error.message}`);
  if (error instanceof StoreClosed) return failures.serviceUnavailable("the server is shutting down");
  if (error instanceof Uncertain) return failures.timeout(error.message, 1);
  return internal(error);
}

/** Awaits something that a store does, with failures as ApiErrors. */
export function asking<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch(fail);
}

function fail(error: unknown): never {
  throw asFailure(error);
}
