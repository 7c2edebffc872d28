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

/** ApiError for an error of the store; other errors are returned as they are. */
export function storeFailure(error: unknown): unknown {
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

/** Result of a store operation, with failures as ApiErrors. */
export function fromStore<Result>(result: Promise<Result>): Promise<Result> {
  return result.catch(fail);
}

function fail(error: unknown): never {
  throw storeFailure(error);
}
