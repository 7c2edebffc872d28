import { expand } from "./shorthand.js";

/** One request of a scenario. `$…` refers to earlier responses. */
export interface Step {
  /** Source line. */
  readonly line: string;
  /** Name of its response in later steps. */
  readonly name: string | undefined;
  /**
   * `WAIT` is a GET that is repeated until it succeeds (and contains `text`), `WATCH` one of which some lines are read;
   * `FORGET` compacts the history of both servers.
   */
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** User whose token is sent: `admin`, `alice`, `bob`, or `nobody`. */
  readonly user: string;
  /** Number of events of a watch to read. */
  readonly take: number;
  /** Text to wait for. */
  readonly text: string | undefined;
  /** List of which only shared items are compared: `resources:name`. */
  readonly among: string | undefined;
}

const mediaTypes: Readonly<Record<string, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
  yaml: "application/yaml",
  table: "application/json;as=Table;v=v1;g=meta.k8s.io",
  partial: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  partials: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
};

const form =
  /^(?:(?<name>\w+) = )?(?<method>[A-Z]+) (?<target>\S+)(?<words>(?: [^\s{["|]\S*)*)(?: (?<body>[{["|].*))?$/s;

/**
 * Reads one line of a case:
 *
 *     [name =] METHOD target [word …] [body]
 *
 * The target is a path or a shorthand (`configmaps/lamp/status?dryRun=All`). Words: the media type of the body (`json`,
 * `merge`, `strategic`, `apply`, `yaml`, `type=…`), of the response (`accept=table`, `accept=…`), the user (`as=alice`), `take=2`,
 * `for=…`, `among=…`. The body is JSON, which gets apiVersion and kind unless `bare`, or text behind a bar.
 */
export function parseStep(line: string): Step {
  const groups = form.exec(line)?.groups;
  if (groups === undefined) throw new Error(`not a step: ${line}`);
  const { name, method = "", target = "", words = "", body } = groups;
  const { path, kind } = expand(target);
  const headers: Record<string, string> = { accept: "application/json" };
  let user = "admin";
  let take = 0;
  let text: string | undefined;
  let among: string | undefined;
  let bare = kind === undefined || !["POST", "PUT"].includes(method);
  if (body !== undefined) headers["content-type"] = "application/json";
  for (const word of words.split(" ").filter((word) => word !== "")) {
    const [key, value = ""] = split(word);
    if (key === "as") user = value;
    else if (key === "take") take = Number(value);
    else if (key === "for") text = value;
    else if (key === "among") among = value;
    else if (key === "accept") headers["accept"] = mediaTypes[value] ?? value;
    else if (key === "type") headers["content-type"] = value;
    else if (key === "agent") headers["user-agent"] = value;
    else if (word === "bare") bare = true;
    else if (mediaTypes[word] !== undefined) headers["content-type"] = mediaTypes[word];
    else throw new Error(`"${word}" is unknown in: ${line}`);
    if (word === "apply" && kind !== undefined) bare = false;
  }
  return {
    line,
    name,
    method,
    path,
    headers,
    body: body === undefined ? undefined : textOf(body, bare ? undefined : kind),
    user,
    take,
    text,
    among,
  };
}

function split(word: string): [string, string?] {
  const at = word.indexOf("=");
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

function textOf(
  body: string,
  kind: { readonly apiVersion: string; readonly kind: string } | undefined,
): string {
  if (body.startsWith("|")) return body.slice(2).replaceAll("\\n", "\n").replaceAll("\\0", "\0");
  if (kind === undefined || !body.startsWith("{")) return body;
  const { apiVersion, kind: name } = kind;
  // As text, so that what is wrong with the body stays as it is written.
  const rest = body.slice(1);
  const head = Object.entries({ apiVersion, kind: name })
    .filter(([field]) => !has(body, field))
    .map(([field, value]) => `"${field}":"${value}"`);
  return `{${head.join(",")}${head.length > 0 && rest !== "}" ? "," : ""}${rest}`;
}

function has(body: string, field: string): boolean {
  if (!body.includes(`"${field}":`)) return false;
  const value: unknown = JSON.parse(body.replaceAll("$", ""));
  return typeof value === "object" && value !== null && Object.hasOwn(value, field);
}
