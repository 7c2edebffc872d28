import { createHmac, randomBytes } from "node:crypto";
import type { TokenSource } from "./authenticate.js";
import { authenticatedGroup, type User } from "../../access/user.js";

/** Token of a user. */
export interface TokenEntry {
  readonly token: string;
  readonly user: User;
}

/**
 * Fixed set of tokens. Tokens are stored and looked up by a keyed hash, so that timing reveals nothing about how close a guess
 * is.
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

  /** Replaces all tokens. */
  set(entries: readonly TokenEntry[]): void {
    this.#users = new Map(
      entries.map(({ token, user }) => [this.#hash(token), withAuthenticatedGroup(user)]),
    );
    this.#generation++;
  }

  #hash(token: string): string {
    return createHmac("sha256", this.#key).update(token).digest("base64");
  }
}

/** Combines sources; the first that has a token wins. */
export function combineTokenSources(...sources: readonly TokenSource[]): TokenSource {
  return {
    find(token) {
      let found: User | undefined;
      // All sources are searched, so that timing does not reveal which one has the token.
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

function withAuthenticatedGroup(user: User): User {
  const groups = new Set([...user.groups, authenticatedGroup]);
  return Object.freeze({ ...user, groups: Object.freeze([...groups]) });
}
