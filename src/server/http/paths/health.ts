import { sendText } from "../response/send.js";
import type { Exchange } from "../exchange.js";

/** Health endpoints of Kubernetes. */
export type HealthPath = "healthz" | "livez" | "readyz";

/** Named check behind the health endpoints. */
export interface HealthCheck {
  readonly name: string;
  /** Throws or rejects when unhealthy. The reason goes to `onFailure`; unless it is public, only `/readyz/NAME` sends it. */
  readonly check: () => void | Promise<void>;
  /** Endpoints that include the check. Default: all. */
  readonly paths?: readonly HealthPath[] | undefined;
  /** Sends the reason of a failure to everybody who may read the endpoint. Default: false. */
  readonly isPublic?: boolean | undefined;
}

const ping: HealthCheck = { name: "ping", check: () => {} };

export interface HealthChecks {
  readonly checks: readonly HealthCheck[];
  /** Gets one line per failed check. Its stack would say nothing but that a probe came in. */
  readonly onFailure: (text: string) => void;
}

/** Parses `/readyz` and `/readyz/NAME`; undefined for other paths. */
export function healthPath(path: string): { path: HealthPath; name: string | undefined } | undefined {
  const [, first = "", name, ...more] = path.split("/");
  if (more.length > 0 || (first !== "healthz" && first !== "livez" && first !== "readyz")) return undefined;
  return { path: first, name: name || undefined };
}

/** Responds in the format of Kubernetes. Undefined when no check has that name. */
export function serveHealth(
  exchange: Exchange,
  { path, name }: { path: HealthPath; name: string | undefined },
  health: HealthChecks,
): Promise<void> | undefined {
  const checks = [ping, ...health.checks].filter(({ paths }) => paths?.includes(path) ?? true);
  if (name === undefined) return serveAll(exchange, path, checks, health);
  const check = checks.find((one) => one.name === name);
  return check && serveOne(exchange, path, check, health);
}

async function serveAll(
  exchange: Exchange,
  path: HealthPath,
  checks: readonly HealthCheck[],
  health: HealthChecks,
): Promise<void> {
  const excluded = new Set(exchange.query.get("exclude"));
  const results = await Promise.all(
    checks.map(async (check) => {
      if (excluded.delete(check.name)) return { text: `[+]${check.name} excluded: ok\n`, ok: true };
      const failure = await failureOf(check);
      if (failure === undefined) return { text: `[+]${check.name} ok\n`, ok: true };
      const message = messageOf(failure.error);
      health.onFailure(`${path} check ${check.name} failed: ${message}`);
      const reason = check.isPublic === true ? message : "reason withheld";
      return { text: `[-]${check.name} failed: ${reason}\n`, ok: false };
    }),
  );
  let text = results.map((result) => result.text).join("");
  if (excluded.size > 0) {
    const names = [...excluded].sort().map((unknown) => JSON.stringify(unknown));
    text += `warn: some health checks cannot be excluded: no matches for ${names.join(", ")}\n`;
  }
  if (!results.every(({ ok }) => ok)) sendText(exchange, codeOf(path), `${text}${path} check failed\n`);
  else if (exchange.query.has("verbose")) sendText(exchange, 200, `${text}${path} check passed\n`);
  else sendText(exchange, 200, "ok");
}

/** Kubernetes has 500 for all. A server that is not ready is unavailable, not broken: proxies retry elsewhere on a 503. */
function codeOf(path: HealthPath): number {
  return path === "readyz" ? 503 : 500;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function serveOne(
  exchange: Exchange,
  path: HealthPath,
  check: HealthCheck,
  health: HealthChecks,
): Promise<void> {
  const failure = await failureOf(check);
  if (failure === undefined) {
    sendText(exchange, 200, "ok");
    return;
  }
  health.onFailure(`${path} check ${check.name} failed: ${messageOf(failure.error)}`);
  const what = path === "readyz" ? "not ready" : "internal server error";
  sendText(exchange, codeOf(path), `${what}: ${messageOf(failure.error)}\n`);
}

async function failureOf({ check }: HealthCheck): Promise<{ error: unknown } | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return { error };
  }
}
