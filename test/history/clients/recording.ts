import type { Operation, Register, Side } from "../history.js";

/** What all clients of a run share: the clock, the operations, and the revisions that may be requested. */
export class Recording {
  readonly operations: Operation[] = [];
  /** Number of acknowledged writes. */
  acknowledged = 0;
  /** Number of writes that failed on the server's side (5xx), or whose outcome is unknown. */
  failed = 0;
  /** Revisions that clients have received, in order of arrival. */
  readonly revisions: number[] = [];
  #now = 0;
  readonly #waiting = new Set<() => void>();

  /** The next moment. */
  tick(): number {
    return ++this.#now;
  }

  add(operation: Operation): void {
    this.operations.push(operation);
    if (operation.type === "put" && operation.outcome.type === "ok") {
      this.revisions.push(operation.outcome.register.revision);
    }
    if ("outcome" in operation) {
      const { outcome } = operation;
      if (outcome.type === "ok") this.acknowledged++;
      else if (outcome.type === "unknown" || outcome.code >= 500) this.failed++;
    }
    this.changed();
  }

  /** Resolves when a condition holds; it is checked again whenever something was recorded. */
  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => {
      const check = (): void => {
        if (!condition()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
    });
  }

  changed(): void {
    for (const check of this.#waiting) check();
  }

  /** Resolves after so many further acknowledged writes. */
  acknowledges(count: number): Promise<void> {
    const goal = this.acknowledged + count;
    return this.until(() => this.acknowledged >= goal);
  }

  /** Resolves after so many further writes that failed on the server's side. */
  fails(count: number): Promise<void> {
    const goal = this.failed + count;
    return this.until(() => this.failed >= goal);
  }
}

/** Object of the API, as far as the clients use it. */
export interface RegisterObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: { readonly side?: Side };
  };
  readonly data?: Readonly<Record<string, string>>;
}

export function registerOf({ metadata, data = {} }: RegisterObject): Register {
  return {
    name: metadata.name,
    uid: metadata.uid,
    revision: Number(metadata.resourceVersion),
    side: metadata.labels?.side ?? "left",
    data,
  };
}
