import { gzipSync } from "node:zlib";
import { contentTypes, type Draft } from "../requests/draft.js";
import { always, setHeader, type Break } from "./break.js";
import { bodyOf } from "./body-of.js";

const types = [
  ...Object.values(contentTypes),
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "",
  "///",
  "application/json; charset=utf-16",
  "application/json;;;",
  "application/apply-patch+cbor",
  "application/cbor",
  "application/json, application/yaml",
  "a".repeat(3000),
];
const accepts = [
  "text/html",
  "application/json;q=0",
  "*/*;q=nan",
  "application/json;as=Table;v=v9;g=meta.k8s.io",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;stream=watch",
  "application/json;as=__proto__;v=v1;g=meta.k8s.io",
  "",
  ",,,",
  ";",
  "application/vnd.kubernetes.protobuf",
  "application/json;q=0.5,".repeat(500),
  "application/yaml;stream=watch",
  "application/json;pretty=1",
  '"',
];
const authorizations = [
  "",
  "Bearer",
  "Bearer ",
  "Bearer wrong",
  "Basic YTpi",
  "bearer x",
  "Bearer a b",
  "Negotiate x",
  `Bearer ${"x".repeat(9000)}`,
  "Bearer \u00ff",
];
const others: readonly (readonly [string, readonly string[]])[] = [
  ["if-match", ["*", '"1"', 'W/"x"', "1"]],
  ["if-none-match", ["*", '"x"', ""]],
  ["if-modified-since", ["yesterday"]],
  ["range", ["bytes=0-5", "bytes=-1"]],
  ["impersonate-user", ["root", "", "system:admin"]],
  ["impersonate-group", ["system:masters"]],
  ["impersonate-extra-scopes", ["x"]],
  ["accept-encoding", ["gzip", "gzip;q=0", "br", "*", "gzip, gzip", ""]],
  ["user-agent", ["kubectl/v1.33", "curl/8.5.0", "", "/", "x".repeat(500), "\u00e4gent/1"]],
  ["host", ["", "evil.example", "localhost:99999", "127.0.0.1:1:1", "[::1", "a@b", "LOCALHOST"]],
  ["origin", ["http://evil.example", "null", "http://localhost"]],
  ["audit-id", ["", "x".repeat(129), "a b", "\u00e4"]],
  ["x-http-method-override", ["DELETE"]],
  ["cookie", ["a=b; __proto__=1"]],
  ["te", ["trailers"]],
  ["connection", ["close", "upgrade", "keep-alive, x", ""]],
  ["upgrade", ["h2c", "websocket", "SPDY/3.1"]],
  ["content-encoding", ["gzip", "deflate", "identity", "x-gzip", "gzip, gzip", "GZIP"]],
];

/** What stands between the first line and the body. */
export const headerBreaks: readonly Break[] = [
  {
    name: "content type",
    weight: 5,
    applies: ({ value, bytes }) => value !== undefined || bytes !== undefined,
    spoil: (draft, choices) => setHeader(draft, "content-type", choices.pick(types)),
  },
  {
    name: "accept",
    weight: 3,
    applies: always,
    spoil: (draft, choices) => setHeader(draft, "accept", choices.pick(accepts)),
  },
  {
    name: "authorization",
    weight: 2,
    applies: always,
    spoil: (draft, choices) => setHeader(draft, "authorization", choices.pick(authorizations)),
  },
  {
    name: "header",
    weight: 4,
    applies: always,
    spoil(draft, choices) {
      const [name, values] = choices.pick(others);
      setHeader(draft, name, choices.pick(values));
      // After an upgrade, there are no further requests on this connection.
      if (name === "upgrade" || name === "connection" || name === "te") draft.lies = true;
    },
  },
  {
    name: "length",
    weight: 2,
    applies: always,
    spoil(draft, choices) {
      draft.lies = true;
      draft.waits = choices.once(16);
      draft.headers.push([
        "content-length",
        choices.pick(["0", "1", "-1", "abc", "99999999999999999999", "5", "4000000", "1, 1", "+3"]),
      ]);
    },
  },
  {
    name: "transfer encoding",
    weight: 1,
    applies: always,
    spoil(draft, choices) {
      draft.lies = true;
      draft.headers.push([
        "transfer-encoding",
        choices.pick(["chunked", "gzip, chunked", "identity", "chunked, chunked", "\u000bchunked"]),
      ]);
    },
  },
  { name: "expect", weight: 1, applies: always, spoil: expect },
  { name: "packed", weight: 2, applies: ({ value }) => value !== undefined, spoil: pack },
];

function expect(draft: Draft, choices: { pick<Item>(items: readonly Item[]): Item }): void {
  const value = choices.pick(["100-continue", "200-ok", "100-CONTINUE"]);
  setHeader(draft, "expect", value);
  if (value.toLowerCase() !== "100-continue") draft.lies = true;
}

/** Body in gzip: valid, malformed, or with a very large content. */
function pack(draft: Draft, choices: { below(end: number): number }): void {
  const body = bodyOf(draft) ?? Buffer.alloc(0);
  setHeader(draft, "content-encoding", "gzip");
  switch (choices.below(4)) {
    case 0:
      draft.bytes = gzipSync(Buffer.alloc(8_000_000, 0x20));
      break;
    case 1:
      draft.bytes = gzipSync(body).subarray(0, -5);
      break;
    case 2:
      draft.bytes = Buffer.concat([gzipSync(body), Buffer.from("more")]);
      break;
    default:
      draft.bytes = gzipSync(body);
  }
}
