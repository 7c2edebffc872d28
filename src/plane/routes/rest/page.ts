import { createHash } from "node:crypto";
import type { ExtensionResponse } from "../../../server/index.js";

/*
 * A page to try the REST API in a browser, without anything from elsewhere. It has no data: these are loaded with the token that a person
 * enters, which the page keeps in memory only.
 */

const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #1769aa; --bad: #c0392b; --good: #2e7d32 }
@media (prefers-color-scheme: dark) { :root { --accent: #6db8f2; --bad: #ff8a7a; --good: #81c784 } }
* { box-sizing: border-box }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 76rem; padding: 1.5rem }
h1 { font-size: 1.3rem; margin: 0 0 .25rem }
header p { margin: 0 0 1rem; opacity: .75 }
form#connect { display: flex; gap: .5rem; margin-bottom: 1.5rem; flex-wrap: wrap }
input, textarea, select, button { font: inherit; padding: .4rem .6rem; border: 1px solid var(--line); border-radius: .4rem; background: transparent; color: inherit }
input#token { flex: 1; min-width: 16rem; font-family: ui-monospace, monospace }
button { cursor: pointer }
button.primary { background: var(--accent); border-color: var(--accent); color: #fff }
main { display: grid; grid-template-columns: minmax(15rem, 22rem) minmax(0, 1fr); gap: 1.5rem; align-items: start }
@media (max-width: 44rem) { main { grid-template-columns: 1fr } }
nav h2 { font-size: .8rem; letter-spacing: .04em; text-transform: uppercase; opacity: .65; margin: 1rem 0 .25rem }
nav h2:first-child { margin-top: 0 }
nav button { display: grid; grid-template-columns: 4.6rem 1fr; width: 100%; text-align: left; border: 0; padding: .3rem .5rem }
nav button:hover, nav button[aria-current=true] { background: var(--soft) }
nav small { grid-column: 2; opacity: .7 }
b.method { font: 600 .8rem/1.8 ui-monospace, monospace }
.GET { color: var(--accent) } .POST, .PUT { color: var(--good) } .DELETE { color: var(--bad) }
code, pre, textarea { font-family: ui-monospace, monospace; font-size: .9rem }
section { border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.25rem; min-width: 0 }
section h3 { margin: 0 0 .75rem; font-size: 1rem; overflow-wrap: anywhere }
label input { min-width: 0; width: 100% }
label { display: grid; grid-template-columns: minmax(6rem, 10rem) minmax(0, 1fr); gap: .5rem; margin: .4rem 0; align-items: center }
textarea { width: 100%; min-height: 11rem; margin: .4rem 0 }
pre { background: var(--soft); border-radius: .4rem; padding: .75rem; overflow: auto; max-height: 32rem; margin: .5rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere }
#answer:empty { display: none }
.status { font-weight: 600; margin-top: 1rem } .status.bad { color: var(--bad) } .status.good { color: var(--good) }
`;

const script = `
"use strict";
const base = document.documentElement.dataset.base;
const $ = (id) => document.getElementById(id);
const make = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
let token = "";
let description;

const ask = (path, options = {}) =>
  fetch(path, { ...options, cache: "no-store", headers: { ...options.headers, ...(token && { Authorization: "Bearer " + token }) } });

$("connect").addEventListener("submit", async (event) => {
  event.preventDefault();
  token = $("token").value.trim();
  $("note").textContent = "";
  try {
    const response = await ask(base + "/openapi.json", { headers: { Accept: "application/json" } });
    const body = await response.json();
    if (!response.ok) throw new Error(body.detail || response.statusText);
    description = body;
    showPaths();
  } catch (error) {
    $("note").textContent = String(error.message || error);
  }
});

function showPaths() {
  const nav = $("paths");
  nav.replaceChildren();
  let group = "";
  for (const [path, item] of Object.entries(description.paths)) {
    const first = path.split("/")[1];
    if (first !== group) nav.append(make("h2", { textContent: (group = first) }));
    for (const method of ["get", "post", "put", "delete"]) {
      const operation = item[method];
      if (!operation) continue;
      const button = make("button", { type: "button" },
        make("b", { className: "method " + method.toUpperCase(), textContent: method.toUpperCase() }),
        make("code", { textContent: path }),
        make("small", { textContent: operation.summary || "" }));
      button.addEventListener("click", () => {
        for (const other of nav.querySelectorAll("button")) other.removeAttribute("aria-current");
        button.setAttribute("aria-current", "true");
        showOperation(path, method.toUpperCase(), item, operation);
      });
      nav.append(button);
    }
  }
  nav.querySelector("button")?.click();
}

function resolve(schema) {
  if (!schema?.$ref) return schema || {};
  return resolve(schema.$ref.slice(2).split("/").reduce((at, part) => at?.[part], description));
}

function example(schema, depth = 0) {
  const { type, properties = {}, items, default: fallback, examples, enum: choices, readOnly, const: only } = resolve(schema);
  if (only !== undefined) return only;
  if (fallback !== undefined) return fallback;
  if (examples?.length) return examples[0];
  if (choices?.length) return choices[0];
  const kind = Array.isArray(type) ? type[0] : type;
  if (kind === "array") return depth > 3 ? [] : [example(items, depth + 1)];
  if (kind === "integer" || kind === "number") return resolve(schema).minimum ?? 0;
  if (kind === "boolean") return false;
  if (kind === "string") return "";
  const fields = Object.entries(properties).filter(([, each]) => !resolve(each).readOnly);
  return depth > 3 ? {} : Object.fromEntries(fields.map(([name, each]) => [name, example(each, depth + 1)]));
}

function showOperation(path, method, item, operation) {
  const fields = new Map();
  const form = make("form", {});
  form.append(make("h3", {}, make("b", { className: "method " + method, textContent: method + " " }), make("code", { textContent: base + path })));
  if (operation.description) form.append(make("p", { textContent: operation.description }));
  for (const parameter of [...(item.parameters || []), ...(operation.parameters || [])]) {
    const only = parameter.schema?.const;
    const input = make("input", { name: parameter.name, placeholder: only || parameter.description || "", required: parameter.required === true });
    fields.set(parameter, input);
    form.append(make("label", {}, make("span", { textContent: parameter.name }), input));
  }
  const schema = operation.requestBody?.content?.["application/json"]?.schema;
  const body = schema && make("textarea", { spellcheck: false, value: operation.requestBody.required ? JSON.stringify(example(schema), null, 2) : "" });
  if (body) form.append(body);
  form.append(make("button", { className: "primary", textContent: "Send" }));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const headers = { Accept: "application/json" };
    const query = new URLSearchParams();
    let url = base + path;
    for (const [{ name, in: place }, { value }] of fields) {
      if (value === "") continue;
      if (place === "path") url = url.replace("{" + name + "}", encodeURIComponent(value));
      else if (place === "header") headers[name] = value;
      else query.set(name, value);
    }
    if (String(query)) url += "?" + query;
    const hasBody = body && body.value.trim() !== "";
    if (hasBody) headers["Content-Type"] = "application/json";
    try {
      const response = await ask(url, { method, headers, ...(hasBody && { body: body.value }) });
      showAnswer(response, await response.text());
    } catch (error) {
      $("answer").replaceChildren(make("p", { className: "status bad", textContent: String(error) }));
    }
  });
  $("operation").replaceChildren(form);
  $("answer").replaceChildren();
}

function showAnswer(response, text) {
  let shown = text;
  try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch {}
  const names = ["etag", "location", "link", "allow", "content-type"];
  const headers = names.filter((name) => response.headers.get(name)).map((name) => name + ": " + response.headers.get(name)).join("\\n");
  $("answer").replaceChildren(
    make("p", { className: "status " + (response.ok ? "good" : "bad"), textContent: response.status + " " + response.statusText }),
    make("pre", { textContent: headers }),
    ...(shown ? [make("pre", { textContent: shown })] : []));
}
`;

const hash = createHash("sha256").update(script).digest("base64");

/** Page for a browser. */
export function page(basePath: string): ExtensionResponse {
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `script-src 'sha256-${hash}'`,
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    type: "text/html; charset=utf-8",
    headers: {
      "Content-Security-Policy": policy.join("; "),
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      Vary: "Accept",
    },
    text: `<!doctype html>
<html lang="en" data-base="${escaped(basePath)}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>REST API</title>
<style>${style}</style>
<header>
<h1>REST API</h1>
<p>Requests are made with your token. Find it in the kubeconfig: <code>kubectl --kubeconfig .fettle/kubeconfig config view --raw -o jsonpath='{.users[0].user.token}'</code></p>
</header>
<form id="connect">
<input id="token" type="password" placeholder="Token" autocomplete="off" aria-label="Token">
<button class="primary">Load</button>
<span id="note" role="alert"></span>
</form>
<main>
<nav id="paths" aria-label="Paths"></nav>
<section><div id="operation">Enter a token, and choose a path.</div><div id="answer" aria-live="polite"></div></section>
</main>
<script>${script}</script>
</html>
`,
  };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
