import { KubeconfigError } from "../kubeconfig-error.js";

/**
 * URL of a proxy for undici. With SOCKS the proxy resolves host names, as in Go, so `socks5` and `socks5h` are equal.
 */
export function proxyUrl(text: string, where: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === "") {
    throw new KubeconfigError(
      `${where} is ${withoutPassword(text)}; write it as http://proxy.example.com:3128`,
    );
  }
  if (url.protocol === "socks5h:") return text.replace(/^socks5h/i, "socks5");
  if (url.protocol === "http:" || url.protocol === "https:" || url.protocol === "socks5:") return text;
  throw new KubeconfigError(
    `${where} is ${withoutPassword(text)}: ${url.protocol.slice(0, -1)} proxies are not supported; use an http, https or socks5 one`,
  );
}

/** Removes the password from a proxy URL. */
function withoutPassword(text: string): string {
  return JSON.stringify(text.replace(/^(.*?:\/\/)?[^/]*@/, "$1…@"));
}
