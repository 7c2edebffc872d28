import type { Entry, Store } from "../../../store/index.js";
import type { StateEntry, StateList } from "../contract.js";
import { redacted } from "../redact.js";
import { globOf } from "./glob.js";
import { objectOrUndefined, decodeText } from "../../stored/stored.js";

/** Entries and bytes read at a time. */
const pageSize = 500;
const pageBytes = 2 ** 20;

export interface StateOptions {
  /** Glob; see `globOf`. */
  readonly key: string;
  readonly limit: number;
  readonly reveal: boolean;
  readonly signal: AbortSignal;
}

/** Entries of the store whose keys match, as of one revision. */
export async function storeState(
  store: Store,
  { key, limit, reveal, signal }: StateOptions,
): Promise<StateList> {
  const glob = globOf(key);
  const entries: StateEntry[] = [];
  let after: string | undefined;
  let revision: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const page = await store.range({
      prefix: glob.prefix,
      after,
      limit: pageSize,
      bytes: pageBytes,
      revision,
    });
    revision = page.revision;
    for (const entry of page.entries) {
      if (!glob.matches(entry.key)) continue;
      if (entries.length === limit) return { entries, revision, more: true };
      entries.push(stateEntry(entry, reveal));
    }
    if (!page.more) return { entries, revision, more: false };
    after = page.entries.at(-1)?.key;
  }
}

function stateEntry(entry: Entry, reveal: boolean): StateEntry {
  const { key, revision, expires, value } = entry;
  const object = objectOrUndefined(entry, revision);
  return {
    key,
    revision,
    ...(expires !== undefined && { expires }),
    value: object === undefined ? otherValue(value) : redacted(object, reveal),
  };
}

function otherValue(value: Uint8Array): unknown {
  try {
    return JSON.parse(decodeText(value)) as unknown;
  } catch {
    return Buffer.from(value).toString("base64");
  }
}
