/** What all errors of a store have in common. */
export abstract class StoreError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

// -- while opening ------------------------------------------------------------------------------------------

/** Another process (or this one) has the store open already. */
export class StoreInUse extends StoreError {}

/** The file at the store's place was not written by Fettle, or by a newer one. It was left untouched. */
export class StoreForeign extends StoreError {}

/** The store's file is damaged. It was left untouched when this happened while opening. */
export class StoreDamaged extends StoreError {}

// -- while committing ---------------------------------------------------------------------------------------

/** A key is not at the revision that a mutation expected. Nothing was changed. */
export class Conflict extends StoreError {
  constructor(
    readonly key: string,
    readonly expected: number,
    /** The revision the key is at, 0 when it does not exist. */
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

/** The mutations are not acceptable in themselves. Nothing was changed. */
export class InvalidCommit extends StoreError {}

/** There is no room for this commit. Nothing was changed; smaller commits and later ones may succeed. */
export class StoreFull extends StoreError {}

/** Reading or writing the storage failed. Nothing was changed. */
export class StoreFailed extends StoreError {}

/** Nobody knows whether the commit was applied: the connection to what applies it was lost. Read to find out. */
export class Uncertain extends StoreError {}

// -- while reading or watching ------------------------------------------------------------------------------

/** The revision lies before the floor. */
export class Compacted extends StoreError {
  constructor(
    readonly revision: number,
    readonly floor: number,
  ) {
    super(
      `revision ${revision} has been compacted away, history starts at ${floor}; read anew and go on from there`,
    );
  }
}

/** The revision has not happened yet. */
export class FutureRevision extends StoreError {
  constructor(
    readonly revision: number,
    /** The newest revision there is. */
    readonly newest: number,
  ) {
    super(`revision ${revision} has not happened yet, the newest is ${newest}`);
  }
}

/** The reader of a watch fell behind by more than its buffer and was dropped. */
export class SlowWatcher extends StoreError {
  constructor(
    /** The last revision handed out: watch again from here, while history lasts. */
    readonly revision: number,
    limit: string,
  ) {
    super(
      `the watch was dropped because its reader fell behind by more than ${limit}; go on from ${revision}`,
    );
  }
}

/** The store has been closed. */
export class StoreClosed extends StoreError {
  constructor() {
    super("the store is closed");
  }
}
