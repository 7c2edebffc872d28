/** Base class of the errors that stores throw. */
export abstract class StoreError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

// -- while opening ------------------------------------------------------------------------------------------

/** The data directory is already open, in another process or in this one. */
export class StoreInUse extends StoreError {}

/** The file was not written by Fettle, or in the format of another version. Opening it changed nothing. */
export class StoreForeign extends StoreError {}

/** Files of the store are damaged or missing. Opening it changed nothing. Reads throw it too. */
export class StoreDamaged extends StoreError {}

/** The data directory cannot be used: it is a file, may not be written, or is on a read-only file system. */
export class StoreUnusable extends StoreError {}

// -- while committing ---------------------------------------------------------------------------------------

/** A key is not at the revision that a mutation expected. Nothing was changed. */
export class Conflict extends StoreError {
  constructor(
    readonly key: string,
    readonly expected: number,
    /** Current revision of the key; 0 when it does not exist. */
    readonly actual: number,
  ) {
    const found = actual === 0 ? "it does not exist" : `it is at revision ${actual}`;
    super(
      expected === 0
        ? `${key} exists already, at revision ${actual}`
        : `${key} was expected at revision ${expected}, but ${found}; read it again and retry`,
    );
  }
}

/** The commit is malformed. Nothing was changed. */
export class InvalidCommit extends StoreError {}

/** The disk is full. Nothing was changed; smaller commits and later ones may succeed. */
export class StoreFull extends StoreError {}

/** Reading or writing failed. Nothing was changed. */
export class StoreFailed extends StoreError {}

/** The commit may or may not have been applied: the connection to the engine was lost, or the disk failed. Read to find out. */
export class Uncertain extends StoreError {}

// -- while reading or watching ------------------------------------------------------------------------------

/** The revision is below the floor. */
export class Compacted extends StoreError {
  constructor(
    readonly revision: number,
    readonly floor: number,
  ) {
    super(
      `revision ${revision} has been compacted, history starts at ${floor}; read the current state and continue from its revision`,
    );
  }
}

/** The revision does not exist yet. */
export class FutureRevision extends StoreError {
  constructor(
    readonly revision: number,
    /** Newest revision. */
    readonly newest: number,
  ) {
    super(`revision ${revision} does not exist yet, the newest is ${newest}`);
  }
}

/** The watch was dropped because its reader fell behind by more than the buffer. */
export class SlowWatcher extends StoreError {
  constructor(
    /** Last revision delivered; a new watch can resume from it while history has it. */
    readonly revision: number,
    limit: string,
  ) {
    super(
      `the watch was dropped because its reader fell behind by more than ${limit}; resume from ${revision}`,
    );
  }
}

/** The store is closed. */
export class StoreClosed extends StoreError {
  constructor() {
    super("the store is closed");
  }
}

/**
 * Revision to read at: the requested one, or the newest.
 *
 * @throws {FutureRevision} @throws {Compacted} when it cannot be read.
 */
export function readableRevision(
  requested: number | undefined,
  { revision: newest, floor }: { readonly revision: number; readonly floor: number },
): number {
  const revision = requested ?? newest;
  if (revision > newest) throw new FutureRevision(revision, newest);
  if (revision < floor) throw new Compacted(revision, floor);
  return revision;
}
