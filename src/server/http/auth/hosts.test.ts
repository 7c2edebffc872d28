import { describe, expect, test } from "vitest";
import { HostCheck, hostName, isLoopback, ListenError, requireTlsUnlessLoopback } from "./hosts.js";

const check = new HostCheck({
  hosts: ["fettle.example.com", "*.apps.example.com", "10.0.0.5"],
  origins: ["https://console.example.com"],
});

test.each(["localhost", "LOCALHOST", "a.localhost", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])(
  "%s is loopback",
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

test.each([
  "0.0.0.0",
  "::",
  "10.0.0.1",
  "example.com",
  "127.0.0.1.example.com",
  "localhost.example.com",
  "127",
])("%s is not loopback", (host) => {
  expect(isLoopback(host)).toBe(false);
});

test.each([
  ["localhost", "localhost"],
  ["Localhost:8080", "localhost"],
  ["localhost.:8080", "localhost"],
  ["[::1]:8080", "::1"],
  ["[::1]", "::1"],
  ["a.b.c", "a.b.c"],
  ["", undefined],
  [":8080", undefined],
  ["a:b", undefined],
  ["[::1", undefined],
  ["[::1]x", undefined],
  ["user@host", undefined],
  ["a/b", undefined],
  ["a b", undefined],
])("the host in %j is %j", (header, expected) => {
  expect(hostName(header)).toBe(expected);
});

describe("the Host header", () => {
  test.each([
    undefined,
    "localhost:8080",
    "127.0.0.1:1",
    "[::1]:1",
    "fettle.example.com",
    "FETTLE.example.com:443",
    "a.apps.example.com",
    "10.0.0.5:6443",
  ])("accepts %s", (host) => {
    expect(() => check.check(host, undefined)).not.toThrow();
    expect(() => check.check(host, undefined)).not.toThrow();
  });

  test.each(["evil.example.com", "a.b.apps.example.com", "apps.example.com", "10.0.0.6", "0.0.0.0:80"])(
    "rejects %s",
    (host) => {
      expect(() => check.check(host, undefined)).toThrow(
        expect.objectContaining({
          code: 403,
          message: expect.stringMatching(/the host name .* is not allowed/),
        }),
      );
    },
  );
});

describe("the Origin header", () => {
  test.each([
    ["http://localhost:8080", "localhost:8080"],
    ["https://fettle.example.com", "fettle.example.com"],
    ["https://console.example.com", "localhost:8080"],
  ])("accepts %s at %s", (origin, host) => {
    expect(() => check.check(host, origin)).not.toThrow();
  });

  test.each([
    ["http://localhost:3000", "localhost:8080"],
    ["null", "localhost:8080"],
    ["https://evil.example.com", "localhost:8080"],
    ["http://localhost:8080.evil.com", "localhost:8080"],
  ])("rejects %s at %s", (origin, host) => {
    expect(() => check.check(host, origin)).toThrow(expect.objectContaining({ code: 403 }));
  });
});

test("requires TLS except on loopback", () => {
  for (const host of ["127.0.0.1", "localhost", "::1"]) requireTlsUnlessLoopback(host, false);
  requireTlsUnlessLoopback("0.0.0.0", true);
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "example.com", ""]) {
    expect(() => requireTlsUnlessLoopback(host, false)).toThrow(ListenError);
  }
});
