import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import { breakers } from "../../runtime/breaker/breakers.js";
import { eventBus } from "../bus/event-bus.js";
import { decodeHttp } from "../encode/http-message.js";
import { recordingContext, recordingLog, sampleEvent } from "../fixtures/deliver.js";
import { httpReceiver, type HttpReceiver } from "../fixtures/http-receiver.js";
import { verifySignature } from "./signature.js";
import { sinkOf, type SinkOptions } from "./sink-of.js";
import type { Sink, SinkParts } from "./sink.js";

async function open(options: SinkOptions, parts: SinkParts = {}): Promise<Sink> {
  const sink = await sinkOf(options, parts);
  onTestFinished(() => sink.close());
  return sink;
}

async function receiver(): Promise<HttpReceiver> {
  const server = await httpReceiver();
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

/** Lets timers and connections of the test make progress. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const event = sampleEvent({
  type: "io.example.device.deleted",
  subject: "Gerät 7",
  data: { serial: "A-17" },
});

describe("an HTTP sink", () => {
  test.each(["structured", "binary"] as const)("posts events in %s mode, signed", async (mode) => {
    const server = await receiver();
    const headers = { authorization: "Bearer t0p" };
    const sink = await open({
      type: "http",
      name: "audit",
      url: `${server.url}/events`,
      mode,
      secret: "s3cret",
      headers,
    });
    await sink.handle(event, recordingContext());
    const [request] = server.requests;
    if (request === undefined) throw new Error("nothing was received");
    expect(request).toMatchObject({ method: "POST", path: "/events", headers });
    const flat = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const [decoded] = await decodeHttp({ headers: flat, body: request.body });
    expect(decoded).toMatchObject({
      id: event.id,
      type: event.type,
      subject: "Gerät 7",
      data: { serial: "A-17" },
    });

    verifySignature("s3cret", request.headers, request.body);
    expect(() => verifySignature("other", request.headers, request.body)).toThrow(
      "the signature does not match",
    );
    expect(() => verifySignature("s3cret", request.headers, `${request.body} `)).toThrow(
      "the signature does not match",
    );
    const later = { now: Date.now() / 1000 + 600 };
    expect(() => verifySignature("s3cret", request.headers, request.body, later)).toThrow(
      "within the last 300 seconds",
    );
    expect(() => verifySignature("s3cret", {}, request.body)).toThrow("the header webhook-id is missing");
  });

  test("signs as the specification of Standard Webhooks says", () => {
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1a,unknown",
    };
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    verifySignature(secret, headers, '{"test": 2432232314}', { now: 1_614_265_330 });
  });

  test("rejects an event that the receiver will never accept, and tries again otherwise", async () => {
    const server = await receiver();
    const sink = await open({ type: "http", name: "audit", url: `${server.url}/?token=t0p` });
    for (const [status, name] of [
      [400, "EventRejected"],
      [413, "EventRejected"],
      [404, "WebhookError"],
      [503, "WebhookError"],
      [302, "WebhookError"],
    ] as const) {
      server.respond = () => status;
      const failed = sink.handle(event, recordingContext());
      await expect(failed).rejects.toMatchObject({
        name,
        message: `sink audit: ${new URL(server.url).host} answered with status ${status}`,
      });
    }
  });

  test("that cannot be reached says where, without the secrets of its address", async () => {
    const sink = await open({
      type: "http",
      name: "audit",
      url: "http://user:hunter2@127.0.0.1:1/hooks/hunter2?token=hunter2",
    });
    const failed = sink.handle(event, recordingContext());
    await expect(failed).rejects.toThrow(
      /^sink audit: 127\.0\.0\.1:1 could not be reached: connect ECONNREFUSED/,
    );
    await expect(failed).rejects.not.toThrow(/hunter2/);
  });

  test("ends a request that gets no response after its timeout", async () => {
    const server = await receiver();
    server.respond = () => "hang";
    const clock = new VirtualClock();
    const sink = await open({ type: "http", name: "audit", url: server.url, timeout: "5s" }, { clock });
    const failed = Promise.resolve(sink.handle(event, recordingContext()));
    failed.catch(() => {});
    while (server.requests.length === 0) await turn();
    await clock.advance(5000);
    await expect(failed).rejects.toThrow("the request took longer than 5s and was aborted");
  });

  test("leaves a receiver that is away alone, loses nothing, and does not hold up others", async () => {
    const server = await receiver();
    let isAway = true;
    server.respond = () => (isAway ? 503 : 200);
    const clock = new VirtualClock();
    const shared = breakers({ clock });
    const { log, lines } = recordingLog();
    const bus = eventBus({ clock, log });
    const sink = await open(
      { type: "http", name: "audit", url: server.url, secret: "hunter2", durable: true },
      { clock, breakers: shared },
    );
    bus.subscribe(sink.subscription);
    const others: string[] = [];
    bus.subscribe("**", ({ id }) => void others.push(id));
    const ids = Array.from({ length: 100 }, (_, index) => `e-${index}`);
    for (const id of ids)
      void bus.publish(sampleEvent({ type: "a.b", id, subject: `object-${Number(id.slice(2)) % 20}` }));
    expect(others).toEqual(ids);
    for (let second = 0; second < 3600; second++) {
      await clock.advance(1000);
      if (second % 30 === 0) await turn();
    }
    // An hour of failures: the breaker lets a request through now and then, and no event became a dead letter.
    expect(server.requests.length).toBeLessThan(200);
    expect([...shared].map(({ name, state }) => [name, state])).toEqual([
      ["sink-audit", expect.stringMatching(/open/)],
    ]);
    expect(bus.dead()).toEqual([]);

    isAway = false;
    const failed = server.requests.length;
    for (let second = 0; bus.size > 0 && second < 3600; second++) {
      await clock.advance(1000);
      await turn();
    }
    const delivered = server.requests
      .slice(failed)
      .map(({ body }) => JSON.parse(body) as { id: string; subject: string });
    expect(new Set(delivered.map(({ id }) => id))).toEqual(new Set(ids));
    // In order per object.
    for (let object = 0; object < 20; object++) {
      const own = delivered
        .filter(({ subject }) => subject === `object-${object}`)
        .map(({ id }) => Number(id.slice(2)));
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
    expect(JSON.stringify(lines)).not.toContain("hunter2");
    await bus.stop();
  });
});

describe("a Slack sink", () => {
  test("posts a text, to each channel", async () => {
    const server = await receiver();
    const channels = ["#alerts", "#ops"];
    const sink = await open({ type: "slack", name: "team", url: server.url, channels });
    const alert = {
      key: "k",
      severity: "critical",
      title: "Backend <b1> is down",
      message: "no answer & no hope",
    };
    await sink.handle(sampleEvent({ type: "alert.raised", data: alert }), recordingContext());
    const bodies = server.requests.map(({ body }) => JSON.parse(body) as unknown);
    const text = ":red_circle: *Backend &lt;b1&gt; is down*\nno answer &amp; no hope";
    expect(bodies).toEqual([
      { channel: "#alerts", text },
      { channel: "#ops", text },
    ]);
  });

  test("sends a message again only to the channels that did not get it", async () => {
    const server = await receiver();
    server.respond = ({ body }) => (body.includes("#ops") ? 500 : 200);
    const sink = await open({ type: "slack", name: "team", url: server.url, channels: ["#alerts", "#ops"] });
    await expect(sink.handle(event, recordingContext())).rejects.toThrow("status 500");
    server.respond = () => 200;
    await sink.handle(event, recordingContext());
    expect(server.requests.map(({ body }) => (JSON.parse(body) as { channel: string }).channel)).toEqual([
      "#alerts",
      "#ops",
      "#ops",
    ]);
  });

  test("shows other events with their data, without secrets, and shortened", async () => {
    const server = await receiver();
    const sink = await open({ type: "slack", name: "team", url: server.url, channel: "#x" });
    const data = { note: "``` <!channel>", password: "hunter2", list: "x".repeat(5000) };
    await sink.handle(sampleEvent({ type: "a.b", subject: "s", data }), recordingContext());
    const { text } = JSON.parse(server.requests[0]?.body ?? "") as { readonly text: string };
    expect(text).toContain("*a.b* s\n```{\n");
    expect(text).toContain("''' &lt;!channel&gt;");
    expect(text).not.toContain("hunter2");
    expect(text.length).toBeLessThan(3100);
  });
});

describe("a file sink", () => {
  async function folder(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), "fettle-sink-"));
    onTestFinished(() => rm(path, { recursive: true, force: true }));
    return path;
  }
  const lines = async (path: string): Promise<readonly string[]> =>
    (await readFile(path, "utf8")).trimEnd().split("\n");
  const idOf = (line: string): string => (JSON.parse(line) as { readonly id: string }).id;

  test("appends a line per event, in order, and creates its folder", async () => {
    const path = join(await folder(), "deep", "events.jsonl");
    const sink = await open({ type: "file", name: "log", path, fsync: "each" });
    const ids = Array.from({ length: 200 }, (_, index) => `e-${index}`);
    await Promise.all(
      ids.map((id) => sink.handle(sampleEvent({ type: "a.b", id, data: "ä\n" }), recordingContext())),
    );
    expect((await lines(path)).map(idOf)).toEqual(ids);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await sink.close();
    const again = await open({ type: "file", name: "log", path });
    await again.handle(sampleEvent({ type: "a.b", id: "last" }), recordingContext());
    expect((await lines(path)).map(idOf).at(-1)).toBe("last");
  });

  test("begins a new file at its size, and keeps some", async () => {
    const path = join(await folder(), "events.jsonl");
    const sink = await open({ type: "file", name: "log", path, maxSize: 1000, keep: 2 });
    for (let index = 0; index < 40; index++) {
      await sink.handle(
        sampleEvent({ type: "a.b", id: `e-${index}`, data: "x".repeat(100) }),
        recordingContext(),
      );
    }
    const files = await Promise.all([`${path}.2`, `${path}.1`, path].map(lines));
    const ids = files.flat().map((line) => Number(idOf(line).slice(2)));
    expect(ids).toEqual(Array.from(ids, (_, index) => 40 - ids.length + index));
    for (const name of [`${path}.2`, `${path}.1`, path])
      expect((await stat(name)).size).toBeLessThanOrEqual(1000);
    await expect(stat(`${path}.3`)).rejects.toThrow("ENOENT");
  });

  test("ends a line that a crash has cut off", async () => {
    const path = join(await folder(), "events.jsonl");
    await writeFile(path, '{"id":"cut');
    const sink = await open({ type: "file", name: "log", path });
    await sink.handle(sampleEvent({ type: "a.b", id: "whole" }), recordingContext());
    const [first, second = ""] = await lines(path);
    expect([first, idOf(second)]).toEqual(['{"id":"cut', "whole"]);
  });

  test("fails for the events of a failed write, and works again when the cause is gone", async () => {
    const path = join(await folder(), "events.jsonl");
    await writeFile(`${path}.folder`, "");
    const broken = await open({ type: "file", name: "log", path: join(`${path}.folder`, "events.jsonl") });
    await expect(broken.handle(event, recordingContext())).rejects.toThrow(/EEXIST|ENOTDIR/);
    await rm(`${path}.folder`);
    await broken.handle(event, recordingContext());
    expect((await lines(join(`${path}.folder`, "events.jsonl"))).map(idOf)).toEqual([event.id]);
  });
});

test("a stdout sink writes a line per event", async () => {
  const written: string[] = [];
  const stdout = {
    write(text: string, done: (error?: Error | null) => void) {
      written.push(text);
      done();
    },
  };
  const options = { type: "stdout", name: "console" } as const;
  await (await open(options, { stdout })).handle(sampleEvent({ type: "a.b", id: "1" }), recordingContext());
  await (
    await open({ ...options, format: "document" }, { stdout })
  ).handle(sampleEvent({ type: "a.b", id: "2" }), recordingContext());
  expect(written.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { id: "1", time: "2026-01-01T00:00:00Z" },
    { id: "2", timestamp: "2026-01-01T00:00:00Z", metadata: {} },
  ]);
  const broken = { write: (_: string, done: (error?: Error | null) => void) => done(new Error("EPIPE")) };
  await expect((await open(options, { stdout: broken })).handle(event, recordingContext())).rejects.toThrow(
    "EPIPE",
  );
});

test("subscriptions of sinks are durable and try without end, unless the options say otherwise", async () => {
  const http = await open({ type: "http", name: "audit", on: ["**.deleted"], url: "http://localhost/" });
  expect(http.subscription).toMatchObject({
    name: "sink-audit",
    on: ["**.deleted"],
    durable: true,
    retries: Number.MAX_SAFE_INTEGER,
  });
  const few = await open({
    type: "http",
    name: "audit",
    url: "http://localhost/",
    durable: false,
    concurrency: 2,
  });
  expect(few.subscription).toMatchObject({ on: ["**"], durable: false, retries: 3, concurrency: 2 });
  expect((await open({ type: "stdout", name: "x", retries: 0 })).subscription).toMatchObject({
    durable: false,
    retries: 0,
  });
});

test.each<[string, unknown, string]>([
  [
    "an unknown type",
    { type: "mail", name: "x" },
    'sink "x" is invalid: its type is "mail": use http, slack, file or stdout',
  ],
  ["no type", { name: "x" }, 'sink "x" is invalid: its type is missing'],
  ["no name", { type: "stdout" }, "a sink without a name is invalid: name"],
  ["a malformed name", { type: "stdout", name: "A B" }, "name: use up to 57 lower-case letters"],
  ["no address", { type: "http", name: "x" }, 'sink "x" is invalid: url: must be an address'],
  [
    "another protocol",
    { type: "http", name: "x", url: "ftp://hunter2@host" },
    "url: must be an address that begins with http",
  ],
  ["an option of another type", { type: "stdout", name: "x", path: "/tmp" }, 'Unrecognized key: "path"'],
  [
    "a malformed duration",
    { type: "stdout", name: "x", timeout: "soon" },
    'timeout: invalid duration "soon"',
  ],
  ["a malformed pattern", { type: "stdout", name: "x", on: "a..b" }, "is not a pattern for event types"],
])("a sink with %s is refused", async (_, options, message) => {
  const created = sinkOf(options as SinkOptions);
  await expect(created).rejects.toThrow(message);
  await expect(created).rejects.not.toThrow(/hunter2/);
});
