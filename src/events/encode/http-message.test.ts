import { describe, expect, test } from "vitest";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import { decodeHttp, encodeHttp, validateEvent } from "./http-message.js";

const event: CloudEvent = {
  specversion: "1.0",
  id: "a-1",
  type: "io.example.device.created",
  source: "/apis/demo.dev",
  time: "2026-01-01T00:00:00.000Z",
  subject: 'Grüße "1", 100 %',
  hops: 2,
  resync: true,
  objectuid: undefined,
  data: { serial: "A-17" },
};

describe("an event over HTTP", () => {
  test("in binary mode has attributes as headers and data as the body", async () => {
    const message = await encodeHttp(event, "binary");
    expect(message.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "ce-id": "a-1",
      "ce-type": "io.example.device.created",
      "ce-subject": "Gr%C3%BC%C3%9Fe%20%221%22,%20100%20%25",
      "ce-hops": "2",
    });
    expect(message.headers).not.toHaveProperty("ce-objectuid");
    expect(message.body).toBe('{"serial":"A-17"}');
  });

  test.each(["binary", "structured"] as const)("is the same after a round trip in %s mode", async (mode) => {
    const [decoded] = await decodeHttp(await encodeHttp(event, mode));
    const { objectuid: _, ...attributes } = event;
    expect(decoded).toMatchObject(attributes);
  });

  test("whose data is text is JSON, unless its content type says otherwise", async () => {
    expect((await encodeHttp({ ...event, data: "hello" }, "binary")).body).toBe('"hello"');
    const plain = { ...event, data: "hello", datacontenttype: "text/plain" };
    expect(await encodeHttp(plain, "binary")).toMatchObject({
      headers: { "content-type": "text/plain" },
      body: "hello",
    });
    expect((await encodeHttp({ ...event, data: undefined }, "binary")).body).toBe("");
  });

  test("may come in a batch", async () => {
    const { objectuid: _, ...one } = event;
    const headers = { "content-type": "application/cloudevents-batch+json" };
    const decoded = await decodeHttp({ headers, body: JSON.stringify([one, { ...one, id: "a-2" }]) });
    expect(decoded.map(({ id }) => id)).toEqual(["a-1", "a-2"]);
  });
});

describe("an invalid event", () => {
  test.each<[string, object, string]>([
    ["no id", { id: "" }, "id must be text that is not empty"],
    ["no type", { type: undefined }, "is not a type of events"],
    ["another version", { specversion: "0.3" }, 'specversion must be "1.0", not "0.3"'],
    ["a source that is no URI", { source: "no uri" }, 'source must match format "uri-reference"'],
    ["control characters in its type", { type: "a\u0000b" }, "is not a type of events"],
    ["control characters elsewhere", { subject: "a\u0000b" }, "attribute subject has control characters"],
    ["an unknown time", { time: "yesterday" }, 'not "yesterday"'],
    ["an extension with another name", { Host: "x" }, '"Host" is not a name of an attribute'],
    ["an extension that is an object", { ext: { a: 1 } }, "attribute ext must be text"],
  ])("with %s says what is wrong", async (_, change, message) => {
    await expect(validateEvent({ ...event, ...change })).rejects.toThrow(message);
  });

  test.each<[string, string, string]>([
    ["no event", "text/plain", "x"],
    ["malformed JSON", "application/cloudevents+json", "{"],
    ["an empty object", "application/cloudevents+json", "{}"],
    ["a batch that is none", "application/cloudevents-batch+json", "{}"],
  ])("is refused in a message with %s", async (_, type, body) => {
    await expect(decodeHttp({ headers: { "content-type": type }, body })).rejects.toThrow(
      /^not a valid CloudEvent|is not a type of events/,
    );
  });
});
