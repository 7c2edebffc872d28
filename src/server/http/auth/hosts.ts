import { isIP } from "node:net";
import { ApiError, failures } from "../../../model/core.js";
import { failureStatus } from "../../../model/errors/status.js";

/** Whether a name or address can only mean this machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  const address = name.startsWith("::ffff:") ? name.slice("::ffff:".length) : name;
  if (isIP(address) === 4) return address.startsWith("127.");
  return name === "::1" || name === "0:0:0:0:0:0:0:1";
}

/** The name in a `Host` header, without the port; undefined when it is none. */
export function hostName(header: string): string | undefined {
  const host = header.trim().toLowerCase();
  if (host.startsWith("[")) {
    const end = host.indexOf("]");
    const rest = host.slice(end + 1);
    return end > 0 && /^(?::[0-9]*)?$/.test(rest) ? host.slice(1, end) : undefined;
  }
  const match = /^([^\s/@:]+)\.?(?::[0-9]*)?$/.exec(host);
  const name = match?.[1];
  return name?.endsWith(".") ? name.slice(0, -1) : name;
}

export interface HostRules {
  /** Names and addresses besides those of the loopback interface; `*.example.com` covers one label. */
  readonly hosts: readonly string[];
  /** Origins (`https://console.example.com`) of pages that may talk to this server. */
  readonly origins: readonly string[];
}

/**
 * Guards against pages that have a browser talk to this server: a name of the attacker's that leads here (DNS
 * rebinding) stands in `Host`, and a page from elsewhere in `Origin`.
 */
export class HostCheck {
  readonly #rules: HostRules;
  /** Clients send the same few names again and again. */
  readonly #allowed = new Set<string>();

  constructor(rules: HostRules) {
    this.#rules = { ...rules, hosts: rules.hosts.map((host) => host.toLowerCase()) };
  }

  /** Throws a 403 when the request must not be answered. */
  check(host: string | undefined, origin: string | undefined): void {
    if (host !== undefined && !this.#allowed.has(host)) this.#checkHost(host);
    if (origin !== undefined) this.#checkOrigin(origin, host);
  }

  #checkHost(host: string): void {
    const name = hostName(host);
    if (name === undefined) throw failures.badRequest("the Host header names no host");
    if (!isLoopback(name) && !this.#rules.hosts.some((rule) => covers(rule, name))) {
      throw refused(
        `this server does not answer to the host name ${JSON.stringify(name.slice(0, 253))}; ` +
          "reach it by localhost or 127.0.0.1, or add the name to its allowed hosts",
      );
    }
    if (this.#allowed.size < 1000) this.#allowed.add(host);
  }

  #checkOrigin(origin: string, host: string | undefined): void {
    const same = host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
    if (same || this.#rules.origins.includes(origin)) return;
    throw refused(
      `this server does not take requests from pages of ${JSON.stringify(origin.slice(0, 300))}; ` +
        "add the origin to its allowed origins to let it in",
    );
  }
}

function covers(rule: string, name: string): boolean {
  if (!rule.startsWith("*.")) return rule === name;
  const dot = name.indexOf(".");
  return dot > 0 && name.slice(dot) === rule.slice(1);
}

function refused(message: string): ApiError {
  return new ApiError(failureStatus("Forbidden", `forbidden: ${message}`, {}));
}
