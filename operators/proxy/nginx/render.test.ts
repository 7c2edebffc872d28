import { describe, expect, test } from "vitest";
import {
  configuration,
  forward,
  http,
  origin,
  paths,
  redirect,
  rule,
  server,
  upstream,
  zone,
} from "./fixtures/configurations.js";
import { RefusedValue } from "./refusal.js";
import { generationFile, render } from "./render.js";
import type { ProxyConfiguration, RoutingRule } from "../translate/configuration.js";

const web = upstream("web", 8080);
const withRules = (...rules: readonly RoutingRule[]): ProxyConfiguration =>
  configuration([http(80, [server("a.test", rules)])], [web]);
const file = (rendered: ProxyConfiguration, name: string): string =>
  render(rendered, paths).files.get(name) ?? `there is no ${name}`;
const line = (text: string, part: string): number =>
  text.split("\n").findIndex((one) => one.includes(part)) + 1;

describe("render()", () => {
  test("writes a file for each port and part, in order of their paths", () => {
    const { files } = render(withRules(rule("/", "web")), paths);
    expect([...files.keys()]).toEqual([
      "limits.conf",
      "nginx.conf",
      "ports/80.conf",
      "upstreams.conf",
      "variables.conf",
    ]);
  });

  test("a rule without conditions is one location, which passes requests on", () => {
    expect(file(withRules(rule("/", "web")), "ports/80.conf")).toBe(
      [
        "server {",
        '  listen "127.0.0.1:80" default_server;',
        "  return 404;",
        "}",
        "server {",
        '  listen "127.0.0.1:80";',
        '  server_name "a.test";',
        '  location "/" {',
        '    proxy_pass "http://web";',
        "  }",
        "}",
        "",
      ].join("\n"),
    );
  });

  test("is deterministic, and its digest covers everything", () => {
    const one = render(withRules(rule("/", "web")), paths);
    expect(render(withRules(rule("/", "web")), paths).digest).toBe(one.digest);
    expect(one.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(render(withRules(rule("/x", "web")), paths).digest).not.toBe(one.digest);
    expect(render(withRules(rule("/", "web")), { ...paths, limitLog: "/x" }).digest).toBe(one.digest);
    expect(render(withRules(rule("/", "web")), { ...paths, pidFile: "/x" }).digest).not.toBe(one.digest);
  });

  test("a change of one host changes no line of others", () => {
    const host = (name: string, ...rules: readonly RoutingRule[]) => server(name, rules);
    const conditional = (value: string): RoutingRule => rule("/", "web", { headers: [{ name: "X", value }] });
    const before = configuration(
      [http(80, [host("a.test", conditional("1")), host("b.test", conditional("2"))])],
      [web],
    );
    const after = configuration(
      [http(80, [host("a.test", conditional("3"), conditional("1")), host("b.test", conditional("2"))])],
      [web],
    );
    const others = (one: ProxyConfiguration): string => {
      const text = file(one, "ports/80.conf");
      return text.slice(text.indexOf('server_name "b.test"'));
    };
    expect(others(after)).toBe(others(before));
  });

  test("tells the object of a line", () => {
    const other = { ...origin, name: "other" };
    const rendered = render(withRules(rule("/x", "web", { origin: other }), rule("/", "web")), paths);
    const text = rendered.files.get("ports/80.conf") ?? "";
    expect(rendered.originOf("ports/80.conf", line(text, 'location "/x/"') + 1)).toEqual(other);
    expect(rendered.originOf("ports/80.conf", line(text, 'location "/" {'))).toEqual(origin);
    expect(rendered.originOf("ports/80.conf", line(text, "server_name"))?.kind).toBe("Gateway");
    expect(rendered.originOf("upstreams.conf", 2)).toEqual(web.origin);
    expect(rendered.originOf("nginx.conf", 1)).toBeUndefined();
    expect(rendered.originOf("none.conf", 1)).toBeUndefined();
  });

  test("addresses of IPv6 are in brackets", () => {
    const six = configuration([http(80, [])], [upstream("six", { address: "fd00::1", port: 80, weight: 2 })]);
    const both = { ...six, settings: { ...six.settings, addresses: ["0.0.0.0", "::"] } };
    expect(file(both, "upstreams.conf")).toContain('server "[fd00::1]:80" weight=2');
    expect(file(both, "ports/80.conf")).toContain('listen "[::]:80" default_server;');
  });

  test("settings decide about users, temporary files and logs", () => {
    const settings = file(configuration([], []), "nginx.conf");
    expect(settings).toContain('user "root";');
    expect(settings).toContain('proxy_temp_path "/run/proxy/temporary/proxy";');
    expect(settings).toContain("access_log off;");
    expect(settings).toContain('error_log "/run/proxy/error.log" notice;');
    const unprivileged = render(configuration([], []), { ...paths, asRoot: false, temporary: undefined });
    expect(unprivileged.files.get("nginx.conf")).not.toMatch(/user |temp_path|rlimit/);
    const limited = configuration(
      [],
      [],
      [zone("z", { key: { type: "Route" }, requests: 5, per: "second" })],
    );
    // That of the internal server is left: `off` would switch off the log of refused requests, too.
    expect(settings.match(/access_log off/g)).toHaveLength(2);
    expect(file(limited, "nginx.conf").match(/access_log off/g)).toHaveLength(1);
    expect(file(limited, "limits.conf")).toContain('limit_req_zone "all" "zone=z:64k" rate=5r/s;');
  });

  test("zones of a namespace with many limits are smaller, and those of others keep their size", () => {
    const sizesOf = (namespace: string, number: number) =>
      Array.from({ length: number }, (_, index) =>
        zone(`${namespace}_${index}`, { origin: { kind: "RateLimitPolicy", namespace, name: `${index}` } }),
      );
    const zones = [...sizesOf("one", 16), ...sizesOf("many", 100), ...sizesOf("flood", 2000)];
    const text = file(configuration([], [], zones), "limits.conf");
    for (const size of ["one_15:4096k", "many_99:512k", "flood_1999:64k"]) expect(text).toContain(size);
  });

  test("an expression of a user has a limit of steps", () => {
    const text = file(withRules(rule("~ /a.*b", "web")), "variables.conf");
    expect(text).toContain('"~(*LIMIT_MATCH=20000)^(?:/a.*b)');
  });

  test("a generation is one location of the internal server", () => {
    expect(generationFile(12)).toBe('location = "/generation" {\n  return 200 "12";\n}\n');
  });

  test.each<[string, ProxyConfiguration, RegExp]>([
    [
      "hostname",
      configuration([http(80, [server("~^.*$", [])])], []),
      /Gateway default\/edge: "~\^\.\*\$" is not a host/,
    ],
    ["upstream name", configuration([], [upstream("a b", 80)]), /Backend default\/a b: the name "a b"/],
    [
      "address",
      configuration([], [upstream("a", { address: "web.test", port: 80, weight: 1 })]),
      /not an IP address/,
    ],
    ["empty upstream", configuration([], [upstream("a")]), /has no servers/],
    [
      "weight",
      configuration([], [upstream("a", { address: "::1", port: 80, weight: 0 })]),
      /the weight is 0/,
    ],
    [
      "unknown upstream",
      withRules(rule("/", "none")),
      /HTTPRoute default\/web: there is no upstream named "none"/,
    ],
    ["zone name", configuration([], [], [zone("a:b")]), /the name "a:b"/],
    ["relative path", withRules(rule("x", "web")), /does not begin with "\/"/],
    ["escape", withRules(rule("/%ff", "web")), /not UTF-8/],
    ["named group", withRules(rule("~ /(?<host>.*)", "web")), /named group/],
    [
      "prefix of a regular expression",
      withRules(rule("~ /x", forward("web", { path: { type: "prefix", path: "/" } }))),
      /match a prefix/,
    ],
    ["scheme", withRules(rule("/", redirect({ scheme: "java script" }))), /not the scheme/],
    ["redirect status", withRules(rule("/", redirect({ status: 200 }))), /the status of a redirect is 200/],
    [
      "header for a match",
      withRules(rule("/", "web", { headers: [{ name: "a_b", value: "1" }] })),
      /cannot read the header "a_b"/,
    ],
    [
      "framing header",
      withRules(rule("/", "web", { requestHeaders: { remove: ["content-Length"] } })),
      /nginx writes it itself/,
    ],
    [
      "own header",
      withRules(rule("/", "web", { responseHeaders: { remove: ["Server"] } })),
      /nginx writes it itself/,
    ],
    [
      "header name",
      withRules(rule("/", "web", { responseHeaders: { add: [{ name: "a b", value: "1" }] } })),
      /not the name of a header/,
    ],
    [
      "no certificate",
      configuration([{ port: 443, protocol: "HTTPS", servers: [server("a.test", [])] }], []),
      /no certificate for a.test/,
    ],
  ])("refuses a wrong %s, and names the object", (_, wrong, message) => {
    expect(() => render(wrong, paths)).toThrow(message);
    expect(() => render(wrong, paths)).toThrow(RefusedValue);
  });
});
