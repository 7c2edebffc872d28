import { patternParts } from "../../model/cloud-events/event-pattern.js";

/** A name for patterns of event types, which WebSocket clients subscribe to. */
export interface Topic {
  /** Patterns of event types; an event has to match one of them. */
  readonly on: string | readonly string[];
  /**
   * Readers of the topic's events that are about no object: `authenticated` users, or those who may watch all objects of all kinds.
   * Events about an object are for users who may watch objects of its kind in its namespace, in any case. Default: `all-objects`.
   */
  readonly access?: "authenticated" | "all-objects" | undefined;
}

/** Topics by name. A list of patterns stands for a topic without options. */
export type TopicDeclarations = Readonly<Record<string, Topic | readonly string[]>>;

/** Patterns of a topic, or one pattern that a client has given itself. */
export interface ResolvedTopic {
  readonly patterns: readonly string[];
  readonly isOpen: boolean;
}

const builtIn: TopicDeclarations = { alerts: ["alert.**"] };

/** Declared topics. */
export class Topics {
  readonly #topics = new Map<string, ResolvedTopic>();

  constructor(declared: TopicDeclarations = {}) {
    this.add(builtIn, "built in");
    this.add(declared, "of the options");
  }

  /** @throws {Error} for a malformed or duplicate topic; `owner` says where it is declared. */
  add(declared: TopicDeclarations, owner: string): void {
    for (const [name, declaration] of Object.entries(declared)) {
      const { on, access } = isList(declaration) ? { on: declaration } : declaration;
      const patterns = isList(on) ? on : [on];
      const isOpen = access === "authenticated";
      try {
        patternParts(name);
        if (name.includes("*")) throw new Error("a name has no *");
        if (patterns.length === 0) throw new Error("it has no patterns");
        for (const pattern of patterns) patternParts(pattern);
      } catch (error) {
        throw new Error(`topic ${JSON.stringify(name)} ${owner}: ${(error as Error).message}`, {
          cause: error,
        });
      }
      const other = this.#topics.get(name);
      if (other !== undefined && !isSame(other, { patterns, isOpen })) {
        throw new Error(`topic ${name} ${owner} is declared twice, with other patterns or access`);
      }
      this.#topics.set(name, { patterns, isOpen });
    }
  }

  /** Patterns of a topic by its name; any other name is a pattern itself. @throws {EventPatternError} */
  resolve(name: string): ResolvedTopic {
    const topic = this.#topics.get(name);
    if (topic !== undefined) return topic;
    patternParts(name);
    return { patterns: [name], isOpen: false };
  }
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}

function isSame(one: ResolvedTopic, other: ResolvedTopic): boolean {
  return one.isOpen === other.isOpen && one.patterns.join(" ") === other.patterns.join(" ");
}
