import type { Choices } from "../choices.js";
import { placeholders, type Draft, type Pair } from "../requests/draft.js";
import { always, type Break } from "./break.js";
import { oddTexts } from "./odd-values.js";

const token = (content: string): string => Buffer.from(content).toString("base64url");
const numbers = [
  "0",
  "-1",
  "1",
  "500",
  "1.5",
  "1e3",
  "9223372036854775807",
  "9223372036854775808",
  "+5",
  "0x10",
  "١",
  "",
  "NaN",
];
const booleans = ["true", "false", "1", "0", "", "T", "yes", "nope"];

/** Valid and nearly valid values by parameter. */
const parameters: Readonly<Record<string, readonly string[]>> = {
  limit: numbers,
  continue: [
    placeholders.continue,
    "nonsense",
    "",
    token("{}"),
    token('{"v":"meta.k8s.io/v1","rv":1,"start":"a"}'),
    token('{"v":"meta.k8s.io/v1","rv":-1,"start":"../../x\\u0000"}'),
    token('{"v":"meta.k8s.io/v1","rv":99999999,"start":"zzz"}'),
    token('{"v":"meta.k8s.io/v1","rv":1e400,"start":null}'),
    token("[[[["),
    `${placeholders.continue}A`,
    "A".repeat(9000),
  ],
  resourceVersion: [
    placeholders.version,
    "0",
    "1",
    "99999999999",
    "-1",
    "abc",
    "1.0",
    "00",
    "",
    "9".repeat(400),
  ],
  resourceVersionMatch: ["Exact", "NotOlderThan", "exact", "", "Perhaps"],
  timeoutSeconds: ["1", "0", "-1", "99999999999999", "1.5", "soon"],
  timeout: [
    "1s",
    "0",
    "1ns",
    "5m",
    "-1s",
    "soon",
    "1h1h1h",
    ".5s",
    "1".repeat(50_000),
    `${"1s".repeat(3000)}x`,
  ],
  fieldManager: ["me", "", "x".repeat(129), "a\u0000b", "ünï", " ", "apply"],
  force: booleans,
  dryRun: ["All", "", "None", "all"],
  fieldValidation: ["Strict", "Warn", "Ignore", "", "strict", "Never"],
  propagationPolicy: ["Orphan", "Foreground", "Background", "", "Sideways"],
  gracePeriodSeconds: numbers,
  orphanDependents: booleans,
  labelSelector: [
    "app=web",
    "app in (web,db)",
    "a notin (),b",
    "!a,b!=c",
    "a>1,b<2",
    "a>x",
    "((((",
    "a in (",
    "a=b=c",
    ",,,",
    "a,".repeat(3000),
    `a in (${"x,".repeat(5000)}y)`,
    "x".repeat(300),
    "a==\u0000",
    "in in (in)",
    "notin notin (notin,)",
  ],
  fieldSelector: [
    "metadata.name=a",
    "metadata.namespace!=default",
    "spec.color=red",
    "metadata.name=",
    "=",
    "a=b,",
    "\\,=\\",
    "__proto__=1",
    "status.phase=Running",
    "metadata.labels.a=b",
    "x=".repeat(2000),
  ],
  watch: booleans,
  allowWatchBookmarks: booleans,
  sendInitialEvents: booleans,
  pretty: booleans,
  export: booleans,
  exact: booleans,
  includeObject: ["None", "Object", "Metadata", "", "All"],
  uid: [placeholders.uid, "wrong", ""],
  verbose: [""],
  exclude: ["store", "ping", "__proto__", ""],
  hash: ["0", "__proto__"],
  as: ["root"],
};
const names = Object.keys(parameters);
const raw = [
  "%",
  "%zz=1",
  "&&&&",
  "=",
  "=&=",
  "a=%ff",
  "limit=%00",
  "?",
  "??a",
  "limit",
  "watch;limit=1",
  "a[]=1&a[b]=2",
  "%6cimit=1",
  "limit=1#x",
  "+=+",
  "__proto__=1",
  "x=".repeat(1000),
  "&a=1".repeat(4000),
  `q=${"z".repeat(20_000)}`,
];

function parameter(choices: Choices): Pair {
  const name = choices.pick(names);
  return [name, choices.once(6) ? choices.pick(oddTexts) : choices.pick(parameters[name] ?? [""])];
}

/** Breaks the query of a request. */
export const queryBreaks: readonly Break[] = [
  {
    name: "parameter",
    weight: 9,
    applies: always,
    spoil: (draft, choices) => void draft.query.push(parameter(choices)),
  },
  {
    name: "parameters",
    weight: 5,
    applies: always,
    spoil(draft, choices) {
      draft.query.push(parameter(choices), parameter(choices), parameter(choices));
    },
  },
  {
    name: "parameter twice",
    weight: 2,
    applies: ({ query }) => query.length > 0,
    spoil(draft, choices) {
      const [name] = choices.pick(draft.query);
      const values = parameters[name] ?? oddTexts;
      draft.query.splice(choices.below(2), 0, [name, choices.pick(values)]);
    },
  },
  {
    name: "raw query",
    weight: 2,
    applies: always,
    spoil: (draft, choices) => void (draft.rawQuery = choices.pick(raw)),
  },
];

/** Encoded query; the first of two question marks counts. */
export function queryOf({ query, rawQuery }: Draft): string {
  const escaped = query.map(([name, value]) => `${name}=${escapeValue(value)}`);
  const all = [...escaped, ...(rawQuery === "" ? [] : [rawQuery])].join("&");
  return all === "" ? "" : `?${all}`;
}

function escapeValue(text: string): string {
  // Placeholders are filled in later, and their values need no escapes.
  return encodeURIComponent(Buffer.from(text).toString()).replaceAll("%40", "@");
}
