import type { Environment } from "../surroundings.js";
import { isExempt, isLocal } from "./no-proxy.js";
import { proxyUrl } from "./proxy-url.js";

/**
 * Proxy of the environment for a server: HTTPS_PROXY or HTTP_PROXY by the server's scheme, unless NO_PROXY covers it. Upper
 * case wins over lower case.
 */
export function environmentProxy(server: string, env: Environment): string | undefined {
  const url = new URL(server);
  const [name, proxy] = variable(env, url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (proxy === undefined) return undefined;
  const host = {
    name: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port || (url.protocol === "https:" ? "443" : "80"),
  };
  const [, noProxy = ""] = variable(env, "NO_PROXY");
  if (isLocal(host.name) || isExempt(noProxy, host)) return undefined;
  // A host and port without a scheme is an HTTP proxy.
  return proxyUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`, `$${name}`);
}

function variable(env: Environment, name: string): [name: string, value: string | undefined] {
  const found = env[name] ? name : name.toLowerCase();
  return [found, env[found]?.trim() || undefined];
}
