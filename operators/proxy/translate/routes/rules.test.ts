import { describe, expect, test } from "vitest";
import type { RouteFilter, RouteRule } from "../../kinds/gateway-api.js";
import { backendRef, input, match, route, rule } from "../fixtures.js";
import { translate } from "../translate.js";
import type { RoutingRule } from "../configuration.js";
import type { Finding } from "../translation.js";

interface Outcome {
  readonly rules: readonly RoutingRule[];
  readonly conditions: readonly Finding[];
}

function run(...rules: readonly RouteRule[]): Outcome {
  const { configuration, routes } = translate(input({ routes: [route({ rules })] }));
  return {
    rules: configuration.ports[0]?.servers[0]?.rules ?? [],
    conditions: routes[0]?.parents[0]?.conditions ?? [],
  };
}

/** Checks that a rule is refused for a reason, with a message, and not served. */
function expectRefused(bad: RouteRule, reason: string, message: RegExp): void {
  const { rules, conditions } = run(bad);
  expect(rules).toEqual([]);
  expect(conditions[0]).toMatchObject({ type: "Accepted", status: "False", reason });
  expect(conditions[0]?.message).toMatch(message);
}

describe("paths", () => {
  test.each([
    ["PathPrefix", "/", { type: "Prefix", value: "/" }],
    ["PathPrefix", "/a/", { type: "Prefix", value: "/a" }],
    ["PathPrefix", "/a%20b", { type: "Prefix", value: "/a%20b" }],
    ["Exact", "/a/", { type: "Exact", value: "/a/" }],
    ["Exact", "/caf%C3%A9", { type: "Exact", value: "/caf%C3%A9" }],
    ["Exact", "/...", { type: "Exact", value: "/..." }],
    ["RegularExpression", "/v[0-9]+/(?:a|b)", { type: "RegularExpression", value: "/v[0-9]+/(?:a|b)" }],
    ["RegularExpression", "(?i)/a{2,3}[^]/]*", { type: "RegularExpression", value: "(?i)/a{2,3}[^]/]*" }],
    ["RegularExpression", "/(?:a|b)?c*?{", { type: "RegularExpression", value: "/(?:a|b)?c*?{" }],
    ["RegularExpression", "/(a[)+]*)\\(+", { type: "RegularExpression", value: "/(a[)+]*)\\(+" }],
  ])("%s %s", (type, path, expected) => {
    expect(run(rule({ matches: [match({ type, path })] })).rules[0]?.match.path).toEqual(expected);
  });

  test.each([
    ["Exact", "a", /must begin with "\/"/],
    ["Exact", "", /must begin with "\/"/],
    ["PathPrefix", "/a//b", /must not contain "\/\/"/],
    ["PathPrefix", "/a/./b", /segments/],
    ["PathPrefix", "/a/..", /segments/],
    ["PathPrefix", "/a/%2e%2E/b", /segments/],
    ["PathPrefix", "/a%2fb", /encoded slash/],
    ["PathPrefix", "/a%2Fb", /encoded slash/],
    ["Exact", "/a#b", /characters that a path cannot have/],
    ["Exact", "/a b", /characters that a path cannot have/],
    ["Exact", "/a?b", /characters that a path cannot have/],
    ["Exact", "/é", /characters that a path cannot have/],
    ["Exact", '/a"; }', /characters that a path cannot have/],
    ["Exact", "/a\n", /characters that a path cannot have/],
    ["Exact", "/a%", /characters that a path cannot have/],
    ["Exact", "/a%0Ab", /encoded control characters/],
    ["Exact", "/a%00", /encoded control characters/],
    ["Exact", "/%FF", /not UTF-8/],
    ["Glob", "/a", /type Glob is not supported/],
    ["RegularExpression", "", /must not be empty/],
    ["RegularExpression", "/a(", /missing closing \)/],
    ["RegularExpression", "/(?=a)", /invalid or unsupported Perl syntax/],
    ["RegularExpression", "/(a)\\1", /invalid escape sequence/],
    ["RegularExpression", "/(?P<host>a)", /only \(\?:…\) and \(\?i\)/],
    ["RegularExpression", "/(?P<host>a)", /spec\.rules\[0\]\.matches\[0\]\.path/],
    ["RegularExpression", "/\\p{Greek}", /\\p is not supported/],
    ["RegularExpression", "/(a+)+x", /must not be repeated/],
    ["RegularExpression", "/((?:a|b))*x", /must not be repeated/],
    ["RegularExpression", "/(a*){5}", /must not be repeated/],
    ["RegularExpression", "/a+{3}", /must not be repeated|invalid nested/],
    ["RegularExpression", "/^*a", /nothing that \* could repeat/],
    ["RegularExpression", "/(?i)+a", /nothing that \+ could repeat/],
    ["RegularExpression", "/a\\b?", /nothing that \? could repeat/],
    ["RegularExpression", "/(?i:a)", /only \(\?:…\) and \(\?i\)/],
    ["RegularExpression", "/é", /printable ASCII/],
    ["RegularExpression", "/a\n", /printable ASCII/],
    ["RegularExpression", `/${"a".repeat(600)}`, /longer than/],
  ])("%s %j is refused", (type, path, message) => {
    expectRefused(rule({ matches: [match({ type, path })] }), "UnsupportedValue", message);
  });
});

describe("methods, headers and query parameters", () => {
  test("are compared exactly; of equal names, the first counts", () => {
    const headers = [
      { type: "Exact", name: "Version", value: "one" },
      { type: "Exact", name: "version", value: "two" },
    ];
    const queryParams = [
      { type: "Exact", name: "a", value: "1" },
      { type: "Exact", name: "A", value: "2" },
      { type: "Exact", name: "a", value: "3" },
    ];
    expect(run(rule({ matches: [match({ method: "GET", headers, queryParams })] })).rules[0]?.match).toEqual({
      path: { type: "Prefix", value: "/" },
      method: "GET",
      headers: [{ name: "version", value: "one" }],
      queryParams: [
        { name: "a", value: "1" },
        { name: "A", value: "2" },
      ],
    });
  });

  test.each([
    ["an unknown method", { method: "BREW" }, /method: "BREW" is not supported/],
    ["a method in lower case", { method: "get" }, /use one of GET/],
    ["a method that nginx refuses", { method: "CONNECT" }, /nginx refuses such requests/],
    [
      "a pattern for a header",
      { headers: [{ type: "RegularExpression", name: "a", value: "b" }] },
      /use Exact/,
    ],
    [
      "a header that nginx has no variable for",
      { headers: [{ type: "Exact", name: "a_b", value: "b" }] },
      /letters, digits/,
    ],
    [
      "a line break in a header",
      { headers: [{ type: "Exact", name: "a", value: "b\r\nc" }] },
      /control characters/,
    ],
    [
      "a pattern for a parameter",
      { queryParams: [{ type: "RegularExpression", name: "a", value: "b" }] },
      /use Exact/,
    ],
    [
      "NUL in a parameter",
      { queryParams: [{ type: "Exact", name: "a", value: "\0" }] },
      /control characters/,
    ],
  ])("%s is refused", (_, fields, message) => {
    expectRefused(rule({ matches: [match(), match(fields)] }), "UnsupportedValue", message);
    expectRefused(
      rule({ matches: [match(), match(fields)] }),
      "UnsupportedValue",
      /^spec\.rules\[0\]\.matches\[1\]\./,
    );
  });
});

const redirect = (fields: Partial<NonNullable<RouteFilter["requestRedirect"]>> = {}): RouteFilter => ({
  type: "RequestRedirect",
  requestRedirect: { statusCode: 302, ...fields },
});
const rewrite = (fields: NonNullable<RouteFilter["urlRewrite"]>): RouteFilter => ({
  type: "URLRewrite",
  urlRewrite: fields,
});
const setHeader = (name: string, value: string): RouteFilter => ({
  type: "RequestHeaderModifier",
  requestHeaderModifier: { set: [{ name, value }] },
});

describe("filters", () => {
  test("change headers", () => {
    const change = {
      set: [{ name: "X-A", value: "1; }" }],
      add: [{ name: "X-B", value: "2" }],
      remove: ["X-C"],
    };
    const [served] = run(
      rule({
        filters: [
          { type: "RequestHeaderModifier", requestHeaderModifier: change },
          { type: "ResponseHeaderModifier", responseHeaderModifier: { remove: ["X-Powered-By"] } },
        ],
      }),
    ).rules;
    expect(served?.requestHeaders).toEqual(change);
    expect(served?.responseHeaders).toEqual({ set: [], add: [], remove: ["X-Powered-By"] });
  });

  test("redirect", () => {
    const filters = [
      redirect({
        scheme: "https",
        hostname: "a.com",
        port: 8443,
        statusCode: 301,
        path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/new/" },
      }),
    ];
    expect(run({ matches: [match({ path: "/old" })], filters }).rules[0]?.action).toEqual({
      type: "redirect",
      scheme: "https",
      hostname: "a.com",
      port: 8443,
      status: 301,
      path: { type: "prefix", path: "/new" },
    });
  });

  test.each([
    [
      { type: "ReplaceFullPath", replaceFullPath: "/a%20b" },
      { type: "full", path: "/a%20b" },
    ],
    [
      { type: "ReplacePrefixMatch", replacePrefixMatch: "" },
      { type: "prefix", path: "/" },
    ],
    [
      { type: "ReplacePrefixMatch", replacePrefixMatch: "/" },
      { type: "prefix", path: "/" },
    ],
    [
      { type: "ReplacePrefixMatch", replacePrefixMatch: "/x/" },
      { type: "prefix", path: "/x" },
    ],
  ] as const)("rewrite %j", (path, expected) => {
    const filters = [rewrite({ hostname: "inner.com", path })];
    expect(run(rule({ filters })).rules[0]?.action).toMatchObject({
      type: "forward",
      rewrite: { hostname: "inner.com", path: expected },
    });
  });

  test.each<[string, Partial<RouteRule>, string, RegExp]>([
    [
      "of an unknown type",
      { filters: [{ type: "RequestMirror" }] },
      "UnsupportedValue",
      /filters\[0\]\.type/,
    ],
    ["without content", { filters: [{ type: "URLRewrite" }] }, "UnsupportedValue", /urlRewrite is missing/],
    ["twice", { filters: [setHeader("A", "1"), setHeader("B", "1")] }, "IncompatibleFilters", /one filter/],
    [
      "redirect and rewrite",
      { filters: [redirect(), rewrite({ hostname: "a.com" })], backendRefs: [] },
      "IncompatibleFilters",
      /exclude each other/,
    ],
    [
      "redirect with backends",
      { filters: [redirect()] },
      "IncompatibleFilters",
      /remove the filter or backendRefs/,
    ],
    [
      "redirect to a scheme",
      { filters: [redirect({ scheme: "ftp" })], backendRefs: [] },
      "UnsupportedValue",
      /scheme/,
    ],
    [
      "redirect with a status",
      { filters: [redirect({ statusCode: 200 })], backendRefs: [] },
      "UnsupportedValue",
      /statusCode/,
    ],
    [
      "redirect to a wildcard",
      { filters: [redirect({ hostname: "*.a.com" })], backendRefs: [] },
      "UnsupportedValue",
      /wildcard/,
    ],
    [
      "redirect to another host by its path",
      {
        filters: [redirect({ path: { type: "ReplaceFullPath", replaceFullPath: "//evil.com" } })],
        backendRefs: [],
      },
      "UnsupportedValue",
      /must not begin with "\/\/"/,
    ],
    [
      "a prefix of an exact path",
      {
        matches: [match({ type: "Exact", path: "/a" })],
        filters: [rewrite({ path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/b" } })],
      },
      "UnsupportedValue",
      /needs matches of type PathPrefix/,
    ],
    [
      "a replacement with a line break",
      { filters: [rewrite({ path: { type: "ReplaceFullPath", replaceFullPath: "/a\nb" } })] },
      "UnsupportedValue",
      /replaceFullPath/,
    ],
    [
      "a header value with a line break",
      { filters: [setHeader("A", "b\r\nX: y")] },
      "UnsupportedValue",
      /control characters/,
    ],
    [
      "a header name with other characters",
      { filters: [setHeader("a$b", "1")] },
      "UnsupportedValue",
      /letters, digits/,
    ],
    [
      "a header of the connection",
      { filters: [setHeader("Transfer-Encoding", "x")] },
      "UnsupportedValue",
      /managed by nginx/,
    ],
    [
      "a header that nginx writes itself",
      { filters: [{ type: "ResponseHeaderModifier", responseHeaderModifier: { remove: ["Server"] } }] },
      "UnsupportedValue",
      /managed by nginx/,
    ],
    ["the header Host", { filters: [setHeader("host", "x")] }, "UnsupportedValue", /URLRewrite/],
    [
      "a header twice",
      {
        filters: [
          {
            type: "RequestHeaderModifier",
            requestHeaderModifier: { set: [{ name: "A", value: "1" }], remove: ["a"] },
          },
        ],
      },
      "UnsupportedValue",
      /changed once only/,
    ],
    [
      "on a backend",
      { backendRefs: [backendRef("app", { filters: [setHeader("A", "1")] })] },
      "UnsupportedValue",
      /backendRefs\[0\]\.filters/,
    ],
  ])("%s: refused", (_, fields, reason, message) => {
    expectRefused(rule(fields), reason, message);
  });

  test("requests for a filter of others get an error, not a response without the filter", () => {
    const { rules, conditions } = run(rule({ filters: [{ type: "ExtensionRef" }] }));
    expect(rules[0]?.action).toEqual({ type: "respond", status: 500 });
    expect(conditions).toMatchObject([
      { type: "Accepted", status: "True" },
      { type: "ResolvedRefs", status: "False", reason: "InvalidKind" },
    ]);
  });
});

describe("timeouts", () => {
  test.each([
    [undefined, undefined],
    [{}, undefined],
    [{ request: "10s" }, 10_000],
    [{ backendRequest: "500ms" }, 500],
    [{ request: "1m30s", backendRequest: "10s" }, 10_000],
    [{ request: "99999h" }, 2 ** 31 - 1],
    [{ request: "0s" }, 0],
    [{ request: "0s", backendRequest: "2s" }, 2000],
    [{ request: "2s", backendRequest: "0s" }, 2000],
  ])("%j: %s", (timeouts, expected) => {
    expect(run(rule(timeouts && { timeouts })).rules[0]?.timeout).toBe(expected);
  });

  test.each([
    [{ request: "soon" }, /not a duration/],
    [{ request: "1d" }, /not a duration/],
    [{ request: "1s", backendRequest: "2s" }, /must not be longer/],
  ])("%j is refused", (timeouts, message) => {
    expectRefused(rule({ timeouts }), "UnsupportedValue", message);
  });
});

describe("a route with faulty and valid rules", () => {
  const faulty = rule({ matches: [match({ path: "bad" })] });

  test("is served without the faulty ones", () => {
    const { rules, conditions } = run(rule("/a"), faulty, rule("/b"));
    expect(rules.map((served) => served.match.path.value)).toEqual(["/a", "/b"]);
    expect(conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`)).toEqual([
      "Accepted=True/Accepted",
      "PartiallyInvalid=True/UnsupportedValue",
      "ResolvedRefs=True/ResolvedRefs",
    ]);
    expect(conditions[1]?.message).toMatch(
      /^Dropped Rule spec\.rules\[1\]: spec\.rules\[1\]\.matches\[0\]\.path/,
    );
  });

  test("names all of its faults, but not without end", () => {
    const { conditions } = run(...Array.from({ length: 5 }, () => faulty));
    expect(conditions[0]?.message).toMatch(/rules\[0\].*rules\[2\].*and 2 more$/);
  });
});

test("a rule without matches is for all requests, and one without backends responds 500", () => {
  const { rules, conditions } = run({ matches: [] });
  expect(rules).toMatchObject([
    { match: { path: { type: "Prefix", value: "/" } }, action: { type: "respond", status: 500 } },
  ]);
  expect(conditions.map(({ status }) => status)).toEqual(["True", "True"]);
});
