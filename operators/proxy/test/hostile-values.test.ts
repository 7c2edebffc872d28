import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWith } from "../../../test/components/index.js";
import { EchoBackend } from "../nginx/fixtures/echo-backend.js";
import { http, origin } from "../nginx/fixtures/configurations.js";
import { echo, send, type Received } from "../nginx/fixtures/request.js";
import { hostileCases, hostileConfiguration, type HostileCase } from "./fixtures/hostile-values.js";
import { renderedNginx } from "./fixtures/rendered-nginx.js";

let backend: EchoBackend;
beforeAll(async () => {
  backend = await EchoBackend.start("web");
});
afterAll(() => backend[Symbol.asyncDispose]());

const accepted = hostileCases.filter(({ refusal }) => refusal === undefined);

describe("hostile values that are refused", () => {
  const refused = hostileCases.filter(({ refusal }) => refusal !== undefined);

  test.each(refused.map((one) => [one.field, JSON.stringify(one.value).slice(0, 40), one] as const))(
    "%s: %s",
    (_field, _value, { refusal }) => {
      expect(refusal?.origin).toEqual(origin);
      expect(refusal?.message).toMatch(/^HTTPRoute default\/web: /);
    },
  );

  // oxlint-disable-next-line no-control-regex -- control characters are what is refused.
  const control = /[\u0000-\u001f\u007f]/;
  test("values of headers and matches are refused for nothing but control characters and length", () => {
    const fields = new Set([
      "request header",
      "response header",
      "header match",
      "exact path",
      "prefix path",
    ]);
    const others = refused.filter(({ field, value }) => {
      return fields.has(field) && !control.test(value) && value.length < 4094;
    });
    expect(others.map(({ field, value }) => [field, value])).toEqual([]);
  });
});

const hostile = renderedNginx.with({
  configuration: (ports) => {
    const servers = accepted.map((one) => one.server);
    const all = hostileConfiguration(servers, ports.http, backend.port);
    return { ...all, ports: [...all.ports, http(ports.tls, [])] };
  },
});

describeWith("hostile values that nginx gets", hostile, (get) => {
  const ask = (
    { host }: HostileCase,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<Received> => send(path, { port: get().ports.http, host, headers });
  /** Bytes of UTF-8, each as a character: Node.js reads and writes headers like this. */
  const bytes = (value: string): string => Buffer.from(value).toString("latin1");
  /** Path that a client sends for a path of a rule, in which there can be escapes. */
  const escaped = (value: string): string => encodeURIComponent(value === "%41" ? "A" : value);
  const decoded = (path: string): string =>
    decodeURIComponent(path.replaceAll(/%(?![0-9A-Fa-f]{2})/g, "%25"));

  const checks: Record<string, (one: HostileCase) => Promise<void>> = {
    "request header": async (one) =>
      expect(echo(await ask(one, "/")).headers["x-value"]).toBe(bytes(one.value)),
    "added request header": async (one) =>
      expect(echo(await ask(one, "/", { "x-value": "old" })).headers["x-value"]).toBe(
        `old,${bytes(one.value)}`,
      ),
    "response header": async (one) => expect((await ask(one, "/")).headers["x-value"]).toBe(bytes(one.value)),
    "header match": async (one) => {
      expect((await ask(one, "/", { "x-value": bytes(one.value) })).status).toBe(200);
      expect((await ask(one, "/", { "x-value": `${bytes(one.value)}x` })).status).toBe(404);
      expect((await ask(one, "/")).status).toBe(404);
    },
    "query match": async (one) => {
      expect((await ask(one, `/?a=b&n=${encodeURIComponent(one.value)}&c`)).status).toBe(200);
      expect((await ask(one, `/?n=${encodeURIComponent(one.value)}x`)).status).toBe(404);
    },
    "exact path": async (one) => {
      expect((await ask(one, `/${escaped(one.value)}`)).status).toBe(200);
      expect((await ask(one, `/${escaped(one.value)}x`)).status).toBe(404);
      expect((await ask(one, "/injected")).status).toBe(404);
    },
    "prefix path": async (one) => {
      expect((await ask(one, `/${escaped(one.value)}/x`)).status).toBe(200);
      expect((await ask(one, `/${escaped(one.value)}x`)).status).toBe(404);
    },
    "full rewrite": async (one) =>
      expect(decoded(echo(await ask(one, "/?q")).url)).toBe(decoded(`/${one.value}?q`)),
    "prefix rewrite": async (one) =>
      expect(decoded(echo(await ask(one, "/rest?q")).url)).toBe(decoded(`/${one.value}/rest?q`)),
    "prefix to rewrite": async (one) =>
      expect(echo(await ask(one, `/${escaped(one.value)}/rest?q`)).url).toBe("/rest?q"),
    "full redirect": async (one) => {
      const { location = "" } = (await ask(one, "/?q")).headers;
      expect(decoded(location.replace(/^http:\/\/[^/]*/, ""))).toBe(decoded(`/${one.value}?q`));
    },
    "prefix redirect": async (one) => {
      const { location = "" } = (await ask(one, "/rest?q")).headers;
      expect(decoded(location.replace(/^http:\/\/[^/]*/, ""))).toBe(decoded(`/${one.value}/rest?q`));
    },
  };

  test.each(accepted.map((one) => [one.field, JSON.stringify(one.value).slice(0, 40), one] as const))(
    "%s: %s",
    async (field, _value, one) => {
      await checks[field]?.(one);
      expect.hasAssertions();
    },
  );
});
