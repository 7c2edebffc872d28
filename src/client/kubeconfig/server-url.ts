import { KubeconfigError } from "./kubeconfig-error.js";

/**
 * Normalised server URL without a trailing slash. Without a scheme it is https if TLS is configured, otherwise http, as in
 * kubectl.
 */
export function serverUrl(text: string, hasTls: boolean, where: string): string {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${hasTls ? "https" : "http"}://${text}`;
  const fail = (problem: string): never => {
    throw new KubeconfigError(
      `${where} is ${JSON.stringify(text)}: ${problem}; write it as https://api.example.com:6443`,
    );
  };
  if (!URL.canParse(full)) return fail("this is not an address");
  const url = new URL(full);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return fail(`${url.protocol.slice(0, -1)} is neither https nor http`);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new KubeconfigError(
      `${where} must be an address without a user, a query or a fragment; username and password have their own fields`,
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  if (full !== text && path !== "") return fail("an address with a path needs its scheme");
  return `${url.origin}${path}`;
}
