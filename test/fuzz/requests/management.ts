import type { Json, JsonObject } from "../../../src/model/core.js";
import type { Choices } from "../choices.js";
import { oddTexts } from "../breaks/odd-values.js";
import type { Attention } from "../wire/answer.js";
import type { Catalog } from "./catalog.js";
import { contentTypes, draft, placeholders, type Draft, type Pair } from "./draft.js";
import { literal } from "./literal.js";
import { apiVersionOf, validObject } from "./objects.js";

/** Endpoints of the management API: method, path and query parameters. */
export const questions: readonly (readonly [method: string, path: string, ...parameters: string[]])[] = [
  ["GET", "controllers"],
  ["POST", "controllers/NAME/enqueue"],
  ["POST", "controllers/NAME/pause"],
  ["POST", "controllers/NAME/resume"],
  ["POST", "controllers/NAME/retry"],
  ["GET", "dead"],
  ["GET", "queue", "controller", "key", "failed", "limit"],
  ["GET", "breakers"],
  ["POST", "breakers/reset"],
  ["GET", "health"],
  ["GET", "alerts"],
  ["GET", "subscriptions"],
  ["POST", "subscriptions/NAME/retry"],
  ["GET", "dead-events"],
  ["GET", "peers"],
  ["GET", "runs", "kind", "key", "controller", "after", "limit", "reveal", "follow"],
  ["POST", "plan", "reveal"],
  ["GET", "history", "apiVersion", "kind", "namespace", "name", "reveal"],
  ["GET", "top", "every", "follow"],
  ["GET", "changes", "apiVersion", "kind", "tail", "after", "reveal", "follow"],
  ["GET", "state", "key", "limit", "reveal"],
  ["GET", "profile", "seconds", "type", "follow"],
  ["GET", "backup", "follow"],
];

/** Objects that controllers always reconcile; those of the second name always fail. */
export const tended = ["tended", "hopeless"];

const keys = ["default/tended", "default/hopeless", "default/tended", "default/a", "fuzz-a/sample"];
const controllers = ["configmaps", "notes.tended.dev"];

/** Valid values by parameter. */
const sound: Readonly<Record<string, readonly string[]>> = {
  kind: ["ConfigMap", "ConfigMap", "Note", "Secret"],
  apiVersion: ["v1", "v1", "tended.dev/v1"],
  namespace: ["default", "default", "fuzz-a"],
  name: [...tended, "a"],
  key: [...keys, "*", "/core/configmaps/*", "notes/[!x]*"],
  controller: controllers,
  after: [placeholders.first, placeholders.version, placeholders.run],
  limit: ["1", "50", "10000"],
  tail: ["0", "5", "10000"],
  every: ["100ms", "2s"],
  // Longer ones are left by the client; nobody else can take a profile until then.
  seconds: ["1", "600"],
  // Snapshots of the heap stop the server for too long.
  type: ["cpu", "heap"],
  failed: ["true"],
  follow: ["true"],
  reveal: ["true"],
};

/** Objects that have a history, unless somebody deleted them long ago. */
const known: readonly (readonly Pair[])[] = [
  ["v1", "ConfigMap"],
  ["tended.dev/v1", "Note"],
].flatMap(([apiVersion = "", kind = ""]) =>
  tended.map((name): Pair[] => [
    ["apiVersion", apiVersion],
    ["kind", kind],
    ["name", name],
  ]),
);

const noNumbers = [
  "-1",
  "1.5",
  "1e3",
  "0x10",
  "٣",
  " 5",
  "NaN",
  "10001",
  "9007199254740993",
  "9".repeat(400),
];
const noDurations = [
  "0",
  "-1s",
  "soon",
  "1",
  ".s",
  "1e9h",
  `${"9".repeat(30)}h`,
  "9".repeat(400),
  "1s".repeat(3000),
];
const noGlobs = [
  "[",
  "[]",
  "[!]",
  "[z-a]",
  "[a-",
  "[!!-\u{10ffff}]",
  "**".repeat(3000),
  "*a".repeat(3000),
  "?".repeat(3000),
  `${"*[a-z]".repeat(1000)}!`,
  "/",
  "//",
  "\\*",
];

/** Nearly valid values by parameter. */
const nearly: Readonly<Record<string, readonly string[]>> = {
  key: [...noGlobs, "a", "/a", "a/b/c", "default/", "default//a"],
  apiVersion: ["v9", "a/b/c", "/v1", "tended.dev/", "apps/v1"],
  kind: ["note", "notes", "List", "Status", "WatchEvent"],
  after: [...noNumbers, "0", "1", "999999999"],
  limit: noNumbers,
  tail: noNumbers,
  every: [...noDurations, "999999h", "1ns"],
  seconds: [...noNumbers, "0", "601"],
  follow: ["1", "TRUE", "false", ""],
  type: ["CPU", "heaps"],
  failed: ["1", "TRUE", ""],
  reveal: ["1", "TRUE", ""],
};

/** Request to the management API. Half of them are valid; the others say what is wrong in `broken`. */
export function managementDraft(catalog: Catalog, choices: Choices): Draft {
  const [method, path, ...parameters] = choices.pick(questions);
  const isSound = choices.once(2);
  const [verb = ""] = path.split("/").slice(-1);
  const made = draft({
    resource: undefined,
    family: "fettle",
    verb,
    method,
    segments: [
      "fettle",
      "v1",
      ...path.split("/").map((part) => (part === "NAME" ? controller(choices) : part)),
    ],
    query:
      isSound && path === "history"
        ? [...choices.pick(known)]
        : parametersFor(path, parameters, isSound, choices),
    headers: [["accept", "application/json"]],
    attention: attention(choices),
  });
  if (method === "POST") {
    made.value = bodyFor(path, isSound, catalog, choices);
    made.headers.push(["content-type", contentTypes.json]);
  }
  return made;
}

function bodyFor(path: string, isSound: boolean, catalog: Catalog, choices: Choices): Json {
  if (path === "plan") return planRequest(catalog, choices);
  if (path === "controllers/NAME/enqueue" && choices.once(4)) return { all: isSound ? true : "yes" };
  if (path !== "breakers/reset") return instruction(isSound, choices);
  return isSound ? {} : { name: choices.pick<Json>([...oddTexts, 1, null, {}]) };
}

function controller(choices: Choices): string {
  return choices.once(8) ? choices.pick(oddTexts) : choices.pick(controllers);
}

/** Stop at once, after some bytes, when the stream is quiet, or after the duration of the shortest profile. */
function attention(choices: Choices): Attention | undefined {
  return choices.weighted<Attention | undefined>([
    [4, undefined],
    [3, { bytes: 0 }],
    [3, { quiet: 25, bytes: 1000 }],
    [2, { quiet: 250, longest: 500 }],
    [1, { longest: 1500 }],
  ]);
}

function parametersFor(path: string, names: readonly string[], isSound: boolean, choices: Choices): Pair[] {
  const isNeeded = (name: string): boolean =>
    path === "history" || (name === "follow" && (path === "profile" || path === "backup"));
  return names
    .filter((name) => (isNeeded(name) && (isSound || !choices.once(6))) || choices.once(3))
    .map((name): Pair => [name, isSound ? choices.pick(sound[name] ?? [""]) : someValue(name, choices)]);
}

function someValue(name: string, choices: Choices): string {
  const pool = choices.weighted([
    [3, sound[name]],
    [3, nearly[name]],
    [1, oddTexts],
  ]);
  return choices.pick(pool ?? oddTexts);
}

function instruction(isSound: boolean, choices: Choices): Json {
  return {
    ...(choices.below(4) > 0 && { key: isSound ? choices.pick(keys) : someValue("key", choices) }),
    ...(choices.once(2) && { reason: isSound ? "somebody is curious" : choices.pick(oddTexts) }),
    ...(choices.once(3) && { after: isSound ? "1h" : choices.pick(noDurations) }),
    ...(!isSound && choices.once(3) && { [choices.pick(oddTexts)]: choices.pick<Json>([1, null, {}, "x"]) }),
  };
}

function planRequest(catalog: Catalog, choices: Choices): JsonObject {
  const manifests = Array.from({ length: 1 + choices.below(3) }, () => manifest(catalog, choices));
  return { manifests };
}

function manifest(catalog: Catalog, choices: Choices): Json {
  if (choices.once(10)) return choices.pick(noManifests);
  const tended = catalog.resources.filter(({ kind }) => kind === "Note" || kind === "ConfigMap");
  const resource = choices.pick(choices.once(2) ? tended : catalog.resources);
  const { namespaced, plural } = resource;
  const name = plural === "customresourcedefinitions" ? "alphas.fuzz.dev" : choices.pick(["a", "b", "new"]);
  const namespace = namespaced ? choices.pick(["default", "fuzz-a", "to-come"]) : undefined;
  const object = validObject({ resource, namespace, name }, catalog, choices);
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

const note = { apiVersion: "tended.dev/v1", kind: "Note" };

/** Values that look like a manifest only at first sight. */
const noManifests: readonly Json[] = [
  { ...note, metadata: {} },
  { ...note, metadata: { name: "" } },
  { ...note, metadata: { name: 5, namespace: {} } },
  { ...note, metadata: { name: "..", namespace: "a/b" } },
  { ...note, metadata: { generateName: "a-" }, spec: { copies: 2 } },
  { ...note, metadata: { name: "a" }, spec: { copies: 99 }, status: { copies: "x" } },
  { ...note, metadata: { name: "a" }, spec: literal("[".repeat(50_000) + "]".repeat(50_000)) },
  { ...note, metadata: { name: "a", managedFields: [{ manager: "me" }], deletionTimestamp: "soon" } },
  { apiVersion: "", kind: "", metadata: { name: "a" } },
  { apiVersion: "a/b/c", kind: "../..", metadata: { name: "a" } },
  { apiVersion: "nobody.dev/v1", kind: "Nothing", metadata: { name: "a" } },
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "to-come" } },
  { apiVersion: "v1", kind: "List", items: [] },
  { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, data: { a: "no base64!" } },
];
