import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { ApiError, failures } from "../../../model/core.js";
import { failureStatus } from "../../../model/errors/status.js";

/** True for names and addresses of the loopback interface. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  const address = name.startsWith("::ffff:") ? name.slice("::ffff:".length) : name;
  if (isIP(address) === 4) return address.startsWith("127.");
  return name === "::1" || name === "0:0:0:0:0:0:0:1";
}

/** True for an address that stands for all addresses of the machine. */
export function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/**
 * Names and addresses at which a server on `host` can be reached. For a wildcard these are the machine's name and addresses: a web
 * page cannot use them for DNS rebinding, since its own name would have to be one of them.
 */
export function namesOfHost(host: string): string[] {
  if (!isWildcard(host)) return [host];
  const addresses = Object.values(networkInterfaces()).flatMap((each = []) => each);
  const usable = addresses.filter(({ scopeid = 0, internal }) => scopeid === 0 && !internal);
  return [hostname().toLowerCase(), ...usable.map(({ address }) => address)];
}

/** Host name in a `Host` header, without the port; undefined when malformed. */
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
  /** Allowed names and addresses besides loopback; `*.example.com` matches one label. */
  readonly hosts: readonly string[];
  /** Origins (`https://console.example.com`) of web pages that may send requests. */
  readonly origins: readonly string[];
}

/**
 * Protects against web pages that send requests through a user's browser: the `Host` header reveals DNS rebinding, the `Origin`
 * header a page of another site.
 */
export class HostCheck {
  readonly #rules: HostRules;
  /** Cached `Host` headers that passed the check. */
  readonly #allowed = new Set<string>();

  constructor(rules: HostRules) {
    this.#rules = { ...rules, hosts: rules.hosts.map((host) => host.toLowerCase()) };
  }

  /** Throws a 403 when the host or the origin is not allowed. */
  check(host: string | undefined, origin: string | undefined): void {
    if (host !== undefined && !this.#allowed.has(host)) this.#checkHost(host);
    if (origin !== undefined) this.#checkOrigin(origin, host);
  }

  #checkHost(host: string): void {
    const name = hostName(host);
    if (name === undefined) throw failures.badRequest("the Host header is malformed");
    if (!isLoopback(name) && !this.#rules.hosts.some((rule) => matches(rule, name))) {
      throw forbidden(
        `the host name ${JSON.stringify(name.slice(0, 253))} is not allowed; ` +
          "use localhost or 127.0.0.1, or add the name to the allowed hosts of the server",
      );
    }
    if (this.#allowed.size < 1000) this.#allowed.add(host);
  }

  #checkOrigin(origin: string, host: string | undefined): void {
    const same = host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
    if (same || this.#rules.origins.includes(origin)) return;
    throw forbidden(
      `requests from the origin ${JSON.stringify(origin.slice(0, 300))} are not allowed; ` +
        "add it to the allowed origins of the server",
    );
  }
}

function matches(rule: string, name: string): boolean {
  if (!rule.startsWith("*.")) return rule === name;
  const dot = name.indexOf(".");
  return dot > 0 && name.slice(dot) === rule.slice(1);
}

function forbidden(message: string): ApiError {
  return new ApiError(failureStatus("Forbidden", `forbidden: ${message}`, {}));
}

/** The server cannot listen with these options; the message says what to do. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** Throws when the server would listen on a network without TLS: tokens must not be sent unencrypted. */
export function requireTlsUnlessLoopback(host: string, tls: boolean): void {
  if (tls || isLoopback(host)) return;
  throw new ListenError(
    `cannot listen on ${host} without TLS: tokens and objects would be sent unencrypted. ` +
      "Enable TLS (a certificate is created if none is given), or listen on 127.0.0.1.",
  );
}
