import { eventPattern, patternParts } from "../../model/cloud-events/event-pattern.js";

/** A use of the context that the permissions of a plugin do not allow. */
export class PluginPermissionError extends Error {
  override readonly name = "PluginPermissionError";
}

const forms = '"http:HOST", "emit:PATTERN", "events:PATTERN" or "state"';
const hostPattern = /^(?:\*|(?:\*\.)?[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Permissions that a plugin declares: hosts it may call, types of events it may emit and receive, and whether it may use the state.
 * They limit mistakes of a plugin, for what its context offers. They are no sandbox: a plugin is code in this process.
 */
export class PluginPermissions {
  /** Patterns of the events that the plugin may receive; undefined without declared permissions. */
  readonly events: readonly string[] | undefined;
  readonly #plugin: string;
  readonly #declared: readonly string[] | undefined;
  readonly #hosts: readonly string[];
  readonly #emits: readonly ((type: string) => boolean)[];

  /** @throws {RangeError} for malformed permissions. @throws {EventPatternError} */
  constructor(plugin: string, declared: readonly string[] | undefined) {
    this.#plugin = plugin;
    this.#declared = declared;
    for (const each of declared ?? []) checkForm(plugin, each);
    const after = (prefix: string): readonly string[] =>
      (declared ?? []).filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length));
    this.#hosts = after("http:");
    this.#emits = after("emit:").map(eventPattern);
    this.events = declared && after("events:");
  }

  checkHost(url: URL): void {
    if (this.#declared === undefined) return;
    const isAllowed = this.#hosts.some((each) => hostMatches(each, url));
    if (!isAllowed) throw this.#missing(`call ${url.host}`, `http:${url.host}`);
  }

  checkEmit(type: string): void {
    if (this.#declared === undefined || this.#emits.some((matches) => matches(type))) return;
    throw this.#missing(`emit events of type ${type}`, `emit:${type}`);
  }

  checkState(): void {
    if (this.#declared === undefined || this.#declared.includes("state")) return;
    throw this.#missing("use the state", "state");
  }

  #missing(what: string, permission: string): PluginPermissionError {
    return new PluginPermissionError(
      `plugin ${this.#plugin} may not ${what}: its permissions do not have ${JSON.stringify(permission)}`,
    );
  }
}

function checkForm(plugin: string, permission: unknown): void {
  const [, kind, value = ""] = /^(http|emit|events):(.+)$/s.exec(String(permission)) ?? [];
  if (permission === "state") return;
  if (kind === "emit" || kind === "events") patternParts(value);
  else if (kind !== "http" || !hostPattern.test(value)) {
    throw new RangeError(`plugin ${plugin}: ${JSON.stringify(permission)} is not a permission: use ${forms}`);
  }
}

/** A permission without a port allows all ports. `*.example.com` allows hosts below example.com. */
function hostMatches(permission: string, { host, hostname, port, protocol }: URL): boolean {
  const [, name = "", allowedPort] = /^(.*?)(?::(\d+))?$/.exec(permission.toLowerCase()) ?? [];
  const usedPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  if (permission.toLowerCase() === host) return true;
  if (allowedPort !== undefined && allowedPort !== usedPort) return false;
  if (name === "*") return true;
  return name.startsWith("*.") ? hostname.endsWith(name.slice(1)) : hostname === name;
}
