/** A Redis server and a database in it. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Number of the database. */
  readonly db: number;
  readonly tls: boolean;
  /** URL for messages, without user and password. */
  readonly shown: string;
}

const schemes = new Set(["redis:", "rediss:"]);
const example = "redis://127.0.0.1:6379/0";

/**
 * Reads the URL of a Redis server: `redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]`, or `rediss://` for TLS. No error repeats the URL,
 * since it may have a password.
 *
 * @throws {RangeError}
 */
export function redisAddress(url: string): RedisAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase();
  if (scheme === undefined || !schemes.has(scheme)) {
    const found = scheme === undefined || !url.includes("://") ? "without a scheme" : `with ${scheme}//`;
    throw invalid(`it must begin with redis:// or rediss://, and is ${found}`);
  }
  if (parsed === undefined || parsed.hostname === "") throw invalid("it has no valid host and port");
  if (parsed.search !== "" || parsed.hash !== "") throw invalid("options after ? and # are not supported");
  const database = /^(?:\/(\d{1,5})?)?$/.exec(parsed.pathname);
  if (database === null) throw invalid("the path must be the number of a database");
  const port = parsed.port === "" ? 6379 : Number(parsed.port);
  const db = Number(database[1] ?? 0);
  return {
    host: parsed.hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    username: decoded(parsed.username),
    password: decoded(parsed.password),
    db,
    tls: scheme === "rediss:",
    shown: `${scheme}//${parsed.hostname}:${port}/${db}`,
  };
}

function decoded(text: string): string | undefined {
  if (text === "") return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid("user and password must be percent-encoded");
  }
}

function invalid(problem: string): RangeError {
  return new RangeError(`the URL of Redis is invalid: ${problem}; use one such as ${example}`);
}
