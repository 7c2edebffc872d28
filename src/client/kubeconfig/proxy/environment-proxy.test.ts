import { describe, expect, test } from "vitest";
import { environmentProxy } from "./environment-proxy.js";

const proxy = "http://proxy:3128";

describe("the variable", () => {
  test.each([
    ["https://a", { HTTPS_PROXY: proxy, HTTP_PROXY: "http://other" }, proxy],
    ["http://a", { HTTPS_PROXY: "http://other", HTTP_PROXY: proxy }, proxy],
    ["https://a", { HTTP_PROXY: proxy }, undefined],
    ["https://a", { ALL_PROXY: proxy }, undefined],
    ["https://a", { https_proxy: proxy }, proxy],
    ["https://a", { HTTPS_PROXY: proxy, https_proxy: "http://other" }, proxy],
    ["https://a", { HTTPS_PROXY: "", https_proxy: proxy }, proxy],
    ["https://a", { HTTPS_PROXY: "proxy:3128" }, proxy],
    ["https://a", { HTTPS_PROXY: "socks5h://proxy:1080" }, "socks5://proxy:1080"],
    ["https://a", { HTTPS_PROXY: proxy, no_proxy: "a" }, undefined],
    ["https://localhost:6443", { HTTPS_PROXY: proxy }, undefined],
    ["https://127.8.0.1:6443", { HTTPS_PROXY: proxy }, undefined],
    ["https://[::1]:6443", { HTTPS_PROXY: proxy }, undefined],
    ["https://[::ffff:127.0.0.1]", { HTTPS_PROXY: proxy }, undefined],
  ])("%s with %j", (server, env, expected) => {
    expect(environmentProxy(server, env)).toBe(expected);
  });

  test("with an unsupported scheme is named in the error", () => {
    expect(() => environmentProxy("https://a", { https_proxy: "ftp://proxy" })).toThrow(
      '$https_proxy is "ftp://proxy": ftp proxies are not supported',
    );
  });
});

describe("NO_PROXY covers", () => {
  test.each([
    ["*", "anything.com", true],
    ["example.com", "example.com", true],
    ["example.com", "api.example.com", true],
    ["example.com", "myexample.com", false],
    [".example.com", "example.com", false],
    [".example.com", "api.example.com", true],
    ["*.example.com", "example.com", false],
    ["*.example.com", "a.b.example.com", true],
    ["EXAMPLE.com , other", "example.COM", true],
    ["münchen.de", "api.xn--mnchen-3ya.de", true],
    ["example.com:6443", "example.com:6443", true],
    ["example.com:6443", "example.com", false],
    ["example.com:443", "example.com", true],
    ["10.0.0.0/8", "10.1.2.3:6443", true],
    ["10.0.0.0/8", "11.1.2.3", false],
    ["10.0.0.0/33", "10.1.2.3", false],
    ["10.0.0.0/8", "ten.example.com", false],
    ["10.1.2.3", "10.1.2.3:6443", true],
    ["10.1.2.3:6443", "10.1.2.3:6443", true],
    ["10.1.2.3:6443", "10.1.2.3", false],
    ["fd00::/8", "[fd00::5]:6443", true],
    ["fd00::5", "[fd00::5]", true],
    ["[fd00::5]:6443", "[fd00::5]:6443", true],
    ["[fd00::5]:6443", "[fd00::5]", false],
    [",, :80,", "example.com:80", false],
    ["", "example.com", false],
  ])("%j: https://%s %s", (noProxy, host, covered) => {
    const found = environmentProxy(`https://${host}`, { HTTPS_PROXY: proxy, NO_PROXY: noProxy });
    expect(found).toBe(covered ? undefined : proxy);
  });
});
