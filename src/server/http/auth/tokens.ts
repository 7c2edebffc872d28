import { createHmac, randomBytes } from "node:crypto";
import type { TokenSource } from "./authenticate.js";
import { authenticatedGroup, type User } from "../../access/user.js";

/** A token and who has it. */
export interface TokenEntry {
  readonly token: string;
  readonly user: User;
}

/**
 * Tokens that are known beforehand. They are kept and found by a keyed hash, so how long a look-up takes says nothing
 * about how near a guess came.
 */
export class StaticTokens implements TokenSource {
  readonly #key = randomBytes(32);
  #users = new Map<string, User>();
  #generation = 0;

  constructor(entries: readonly TokenEntry[] = []) {
    this.set(entries);
  }

  get generation(): number {
    return this.#generation;
  }

  find(token: string): User | undefined {
    return this.#users.get(this.#hash(token));
  }

  /** Takes these tokens in place of those before. */
  set(entries: readonly TokenEntry[]): void {
    this.#users = new Map(entries.map(({ token, user }) => [this.#hash(token), withGroup(user)]));
    this.#generation++;
  }

  #hash(token: string): string {
    return createHmac("sha256", this.#key).update(token).digest("base64");
  }
}

/** Several sources as one; the first that knows a token counts. */
export function anyOf(...sources: readonly TokenSource[]): TokenSource {
  return {
    find(token) {
      let found: User | undefined;
      // All are asked, so that the time does not tell which one knew.
      for (const source of sources) {
        const user = source.find(token);
        found ??= user;
      }
      return found;
    },
    get generation() {
      return sources.reduce((sum, source) => sum + source.generation, 0);
    },
  };
}

function withGroup(user: User): User {
  const groups = new Set([...user.groups, authenticatedGroup]);
  return Object.freeze({ ...user, groups: Object.freeze([...groups]) });
}
