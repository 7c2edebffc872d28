import type { Choices } from "../choices.js";
import type { Piece } from "../wire/http1.js";
import { http2Conversations } from "./raw-http2.js";

/** Bytes for a plain connection. `@token@` and `@host@` are filled in. */
export interface RawConversation {
  readonly name: string;
  readonly pieces: readonly Piece[];
  /** Negotiates HTTP/2 if the server has TLS. */
  readonly http2: boolean;
}

const path = "/api/v1/namespaces/default/configmaps";
const head = (line: string, ...headers: string[]): string =>
  [line, "Host: @host@", "Authorization: Bearer @token@", ...headers].join("\r\n");
const get = `${head(`GET ${path}?limit=1 HTTP/1.1`)}\r\n\r\n`;
const post = (...headers: string[]): string =>
  `${head(`POST ${path} HTTP/1.1`, "Content-Type: application/json", ...headers)}\r\n\r\n`;
const upgrade = (...more: string[]): string =>
  head(
    `GET ${path}?watch=1&timeoutSeconds=1 HTTP/1.1`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    ...more,
  ) + "\r\n\r\n";
const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
const socket13 = [key, "Sec-WebSocket-Version: 13"];

type Make = (choices: Choices) => readonly Piece[];

/** Conversations that a correct server ends at once. */
const quick: Readonly<Record<string, Make>> = {
  "half a line": () => ["GET /api", "end"],
  "half the headers": () => [`${head("GET / HTTP/1.1")}\r\n`, "end"],
  "half a body": () => [post("Content-Length: 500"), '{"kind":', "end"],
  "gone while reading": () => [post("Content-Length: 5000"), "{".repeat(100), "end"],
  "no HTTP": (choices) => [choices.bytes(1 + choices.below(300)), "end"],
  "another version": (choices) => [
    `GET / HTTP/${choices.pick(["0.9", "1.2", "2.0", "9", "1.1.1", "x"])}\r\nHost: @host@\r\n\r\n`,
    "end",
  ],
  "the old way": () => ["GET /version\r\n\r\n", "end"],
  "without a host": () => ["GET /version HTTP/1.0\r\n\r\n"],
  "hosts twice": () => [`GET /version HTTP/1.1\r\nHost: @host@\r\nHost: evil.example\r\n\r\n`, "end"],
  "HTTP/2 without TLS": () => ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0", "end"],
  TLS: () => [Uint8Array.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]), "end"],
  pipelined: (choices) => [get.repeat(2 + choices.below(8)), "end"],
  "pipelined behind a fault": () => [get + "nonsense\r\n\r\n" + get, "end"],
  "smuggled by length": () => [
    post("Content-Length: 5", "Transfer-Encoding: chunked"),
    `0\r\n\r\n${get}`,
    "end",
  ],
  "two lengths": () => [post("Content-Length: 2", "Content-Length: 3"), "{} ", "end"],
  "a bad chunk": (choices) => [
    post("Transfer-Encoding: chunked"),
    `${choices.pick(["zz", "-1", "ffffffffffffffffff", "5;a=b", "0x2", " 2", ""])}\r\n{}\r\n0\r\n\r\n`,
    "end",
  ],
  "chunks with extensions": () => [
    post("Transfer-Encoding: chunked"),
    `2;${"x".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    "end",
  ],
  "chunks with trailers": () => [
    post("Transfer-Encoding: chunked"),
    "2\r\n{}\r\n0\r\nAuthorization: Bearer x\r\nContent-Length: 5\r\n\r\n",
    "end",
  ],
  "chunks of a byte": () => [
    post("Transfer-Encoding: chunked"),
    "1\r\n{\r\n1\r\n}\r\n".repeat(1),
    ...Array<string>(300).fill("1\r\n \r\n"),
    "0\r\n\r\n",
    "end",
  ],
  "headers without end": () => [`GET / HTTP/1.1\r\nHost: @host@\r\nX: ${"y".repeat(70_000)}`, "end"],
  "very many headers": () => [
    `GET /version HTTP/1.1\r\nHost: @host@\r\n${Array.from({ length: 5000 }, (_, index) => `x${index}: 1`).join("\r\n")}\r\n\r\n`,
    "end",
  ],
  "folded headers": () => ["GET /version HTTP/1.1\r\nHost: @host@\r\nX: a\r\n b\r\n\r\n", "end"],
  "bare line feeds": () => ["GET /version HTTP/1.1\nHost: @host@\n\n", "end"],
  "a header with NUL": () => ["GET /version HTTP/1.1\r\nHost: @host@\r\nX: a\0b\r\n\r\n", "end"],
  "a header without a name": () => ["GET /version HTTP/1.1\r\nHost: @host@\r\n: b\r\n\r\n", "end"],
  "an early body": () => [post("Expect: 100-continue", "Content-Length: 2"), "{}", "end"],
  "an expected body that is too large": () => [
    post("Expect: 100-continue", "Content-Length: 99999999"),
    "end",
  ],
  "a tunnel": () => ["CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n", "end"],
  "an upgrade with a body": () => [upgrade(...socket13, "Content-Length: 5"), "hello", "end"],
  "an upgrade without a key": () => [upgrade("Sec-WebSocket-Version: 13"), "end"],
  "an upgrade to an old version": () => [upgrade(key, "Sec-WebSocket-Version: 1"), "end"],
  "an invalid upgrade": () => [
    `${head(`POST ${path} HTTP/1.1`, "Connection: Upgrade", "Upgrade: websocket", ...socket13)}\r\n\r\n`,
    "end",
  ],
  "a socket that talks": (choices) => [upgrade(...socket13), 20, choices.bytes(40), "end"],
  "a socket with a frame that is too large": () => [
    upgrade(...socket13),
    20,
    Uint8Array.from([0x82, 0xff, 0, 0, 0, 0, 255, 255, 255, 255, 1, 2, 3, 4]),
    "end",
  ],
  "a socket with a close": () => [
    upgrade(...socket13),
    20,
    Uint8Array.from([0x88, 0x82, 0, 0, 0, 0, 3, 232]),
    "end",
  ],
  "a socket with control frames": () => [
    upgrade(...socket13),
    20,
    Buffer.alloc(6 * 50, Uint8Array.from([0x89, 0x80, 0, 0, 0, 0])),
    "end",
  ],
  "a socket with protocols": () => [
    upgrade(...socket13, "Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.eA, x, ,x"),
    20,
    "end",
  ],
  "a watch, and gone": () => [head(`GET ${path}?watch=1 HTTP/1.1`) + "\r\n\r\n", "end"],
};

/** Conversations that end only with a timeout of the server. */
const slow: Readonly<Record<string, Make>> = {
  silence: () => [],
  "a line, and silence": () => ["GET / HTTP/1.1\r\n"],
  "a header at a time": () =>
    Array.from({ length: 30 }, (_, index) => [
      `${index === 0 ? "GET / HTTP/1.1\r\n" : ""}x${index}: 1\r\n`,
      100,
    ]).flat(),
  "a body that never comes": () => [post("Content-Length: 100")],
  "a body a byte at a time": () => [
    post("Content-Length: 1000"),
    ...Array.from({ length: 40 }, () => ["x", 100]).flat(),
  ],
  "a chunk that never comes": () => [post("Transfer-Encoding: chunked"), "5\r\n{"],
  "a continuation that is waited for": () => [post("Expect: 100-continue", "Content-Length: 100")],
  "an unread list": () => [get.repeat(50)],
};

/** Malformed bytes on a connection; a few take long. */
export function rawConversation(choices: Choices): RawConversation {
  const kinds = choices.weighted([
    [10, quick],
    [5, http2Conversations],
    [1, slow],
  ]);
  const name = choices.pick(Object.keys(kinds));
  return { name, pieces: kinds[name]?.(choices) ?? [], http2: kinds === http2Conversations };
}
