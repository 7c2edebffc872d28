import { EventPatternError } from "../../../model/cloud-events/event-pattern.js";
import type { CloudEvent } from "../../../model/cloud-events/cloud-event.js";
import { PatternIndex } from "../../../model/cloud-events/pattern-index.js";
import type { ResolvedTopic, Topics } from "../topics.js";
import { MessageError } from "./protocol.js";

export interface SubscriptionOptions {
  readonly topics: Topics;
  /** Topics of one connection. */
  readonly maxTopics: number;
  /** Subscriptions of all connections together. */
  readonly maxTotal: number;
  /** Number of subscriptions of all connections, counted here. */
  readonly total: { count: number };
  /** Called with each pattern that is new for this connection, and with each that is removed. */
  readonly onPattern: (pattern: string, isAdded: boolean) => void;
}

/** Topics of one connection, and their patterns. */
export class Subscriptions {
  readonly #options: SubscriptionOptions;
  readonly #topics = new Map<string, ResolvedTopic>();
  /** Patterns with the number of topics that have them. */
  readonly #patterns = new Map<string, number>();
  #index: PatternIndex<Subscriptions> | undefined;
  /** Patterns of topics whose events without an object every authenticated user may read. */
  readonly #open = new PatternIndex<string>();

  constructor(options: SubscriptionOptions) {
    this.#options = options;
  }

  get names(): readonly string[] {
    return [...this.#topics.keys()];
  }

  /** Index of the patterns, kept up to date until it is released: most connections need none of their own. */
  get index(): PatternIndex<unknown> {
    if (this.#index === undefined) {
      this.#index = new PatternIndex();
      for (const pattern of this.#patterns.keys()) this.#index.add(pattern, this);
    }
    return this.#index;
  }

  releaseIndex(): void {
    this.#index = undefined;
  }

  has(topic: string): boolean {
    return this.#topics.has(topic);
  }

  /** True for an event about no object that a topic opens to all authenticated users. */
  isOpen({ objectkind, type }: CloudEvent): boolean {
    return objectkind === undefined && this.#open.size > 0 && this.#open.match(type).length > 0;
  }

  /** Adds topics, all or none. @throws {MessageError} */
  add(names: readonly string[]): void {
    const { topics, maxTopics, maxTotal, total } = this.#options;
    const added = new Map<string, ResolvedTopic>();
    for (const name of names) {
      if (this.#topics.has(name) || added.has(name)) continue;
      if (this.#topics.size + added.size >= maxTopics) {
        throw new MessageError(`a connection can have ${maxTopics} topics: use patterns with * or **`);
      }
      if (total.count + added.size >= maxTotal) {
        throw new MessageError("the server has too many subscriptions: try again later");
      }
      added.set(name, resolved(topics, name));
    }
    for (const [name, topic] of added) this.#add(name, topic);
  }

  remove(name: string): void {
    const topic = this.#topics.get(name);
    if (topic === undefined) return;
    this.#options.total.count--;
    this.#topics.delete(name);
    for (const pattern of topic.patterns) {
      if (topic.isOpen) this.#open.delete(pattern, name);
      const left = (this.#patterns.get(pattern) ?? 1) - 1;
      if (left > 0) {
        this.#patterns.set(pattern, left);
        continue;
      }
      this.#options.onPattern(pattern, false);
      this.#patterns.delete(pattern);
      this.#index?.delete(pattern, this);
    }
  }

  clear(): void {
    for (const name of this.names) this.remove(name);
  }

  /** Patterns of topics by their names. */
  describe(names: readonly string[]): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(names.map((name) => [name, this.#topics.get(name)?.patterns ?? []]));
  }

  #add(name: string, topic: ResolvedTopic): void {
    this.#options.total.count++;
    this.#topics.set(name, topic);
    for (const pattern of topic.patterns) {
      if (topic.isOpen) this.#open.add(pattern, name);
      const count = this.#patterns.get(pattern) ?? 0;
      this.#patterns.set(pattern, count + 1);
      if (count > 0) continue;
      this.#options.onPattern(pattern, true);
      this.#index?.add(pattern, this);
    }
  }
}

function resolved(topics: Topics, name: string): ResolvedTopic {
  try {
    return topics.resolve(name);
  } catch (error) {
    throw error instanceof EventPatternError ? new MessageError(error.message) : error;
  }
}
