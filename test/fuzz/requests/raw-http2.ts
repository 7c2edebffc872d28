import type { Choices } from "../choices.js";
import type { Piece } from "../wire/http1.js";

const types = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  more: 9,
};
const endStream = 1;
const endHeaders = 4;

/** Preface of every connection. */
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array,
  length = payload.length,
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const none = new Uint8Array();
const settings = frame(types.settings, 0, 0, none);
/** `GET /version` over https at localhost. */
const version = Buffer.concat([Buffer.from([0x82, 0x87]), literal(4, "/version"), literal(1, "localhost")]);

/** Header with an indexed name, and a value of at most 126 bytes. */
function literal(name: number, value: string): Buffer {
  return Buffer.concat([Buffer.from([name, value.length]), Buffer.from(value)]);
}

const get = (stream: number): Buffer => frame(types.headers, endStream | endHeaders, stream, version);
const times = (count: number, make: (index: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, index) => make(index)));
const number = (value: number): Buffer => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value]);
const begin = Buffer.concat([preface, settings]);

/** Malformed HTTP/2 frames, by name. */
export const http2Conversations: Readonly<Record<string, (choices: Choices) => readonly Piece[]>> = {
  "h2 nonsense": (choices) => [preface, choices.bytes(200)],
  "h2 no preface": (choices) => [choices.bytes(100)],
  "h2 request": () => [begin, get(1)],
  "h2 rapid resets": () => [
    begin,
    times(800, (index) =>
      Buffer.concat([get(1 + 2 * index), frame(types.reset, 0, 1 + 2 * index, number(8))]),
    ),
  ],
  "h2 endless headers": () => [
    begin,
    frame(types.headers, 0, 1, version),
    times(300, () =>
      frame(types.more, 0, 1, Buffer.concat([Buffer.from([0, 1, 0x78, 100]), Buffer.alloc(100, 0x79)])),
    ),
  ],
  "h2 pings": () => [begin, times(3000, () => frame(types.ping, 0, 0, Buffer.alloc(8)))],
  "h2 settings": () => [begin, times(2000, () => settings)],
  "h2 odd settings": (choices) => [preface, frame(types.settings, 0, 0, choices.bytes(6 * 20)), get(1)],
  "h2 no window": () => [preface, frame(types.settings, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0])), get(1)],
  "h2 window of nothing": () => [begin, get(1), frame(types.window, 0, 1, number(0))],
  "h2 window overflow": () => [begin, times(3, () => frame(types.window, 0, 0, number(0x7fffffff))), get(1)],
  "h2 data for nobody": () => [
    begin,
    frame(types.data, 0, 0, none),
    frame(types.data, 0, 99, Buffer.alloc(50)),
  ],
  "h2 empty data": () => [
    begin,
    frame(types.headers, endHeaders, 1, version),
    times(2000, () => frame(types.data, 0, 1, none)),
  ],
  "h2 goodbye, and more": () => [begin, frame(types.goaway, 0, 0, Buffer.alloc(8)), get(1)],
  "h2 a stream that depends on itself": () => [
    begin,
    frame(types.priority, 0, 1, Buffer.from([0, 0, 0, 1, 16])),
    get(1),
  ],
  "h2 too large": () => [begin, frame(types.data, 0, 1, Buffer.alloc(100), 0xffffff)],
  "h2 index of nothing": () => [
    begin,
    frame(types.headers, endStream | endHeaders, 1, Buffer.from([0xff, 0xff, 0xff, 0x7f])),
  ],
  "h2 streams that go back": () => [begin, get(5), get(3), get(4)],
  "h2 pushes": () => [begin, frame(types.push, endHeaders, 1, Buffer.concat([number(2), version]))],
  "h2 unknown frames": (choices) => [
    begin,
    times(50, () => frame(10 + choices.below(200), choices.below(256), choices.below(5), choices.bytes(20))),
    get(1),
  ],
  "h2 half a frame": () => [begin, get(1).subarray(0, 12), "end"],
};
