import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { block, directive, entry, pattern, text, variable, type Directive } from "./directive.js";
import { anyDirective, anyText } from "./fixtures/any-directive.js";
import { origin } from "./fixtures/configurations.js";
import { meaningOf, meaningOfStatements } from "./fixtures/statements.js";
import { parse } from "./fixtures/tokenizer.js";
import { RefusedValue } from "./refusal.js";
import { serialize } from "./serialize.js";

/** Text of directives, or undefined if a value was refused. */
function written(directives: readonly Directive[]): string | undefined {
  try {
    return serialize(directives).text;
  } catch (error) {
    if (error instanceof RefusedValue) return undefined;
    throw error;
  }
}

describe("serialize()", () => {
  test("what nginx reads has exactly the structure that was written, or a value was refused", () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(anyDirective(3), { maxLength: 3 }), (directives) => {
        const result = written(directives);
        if (result === undefined) return;
        accepted++;
        expect(meaningOfStatements(parse(result))).toEqual(meaningOf(directives));
      }),
      { numRuns: 500 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  // oxlint-disable-next-line no-control-regex -- control characters are what is refused.
  const refused = /[\u0000-\u001f\u007f]|\p{Surrogate}/u;
  test("text is only refused for control characters, broken Unicode and its length", () => {
    fc.assert(
      fc.property(anyText, (value) => {
        const result = written([directive("add_header", text("X"), text(value))]);
        expect(result === undefined).toBe(refused.test(value));
      }),
    );
  });

  test("quotes text, writes variables, and takes a dollar sign from a variable", () => {
    const { text: result } = serialize([
      block(
        "location",
        ["=", text('/a "b" \\ $c')],
        [
          directive("return", 200, text("$host ", variable("host"), variable("1"), "}")),
          directive("proxy_set_header", text("X-$"), text(variable("host"))),
        ],
      ),
    ]);
    expect(result).toBe(
      [
        String.raw`location = "/a \"b\" \\ $c" {`,
        '  return 200 "${fettle_dollar}host ${host}$1}";',
        '  proxy_set_header "X-$" $host;',
        "}",
        "",
      ].join("\n"),
    );
  });

  test("lines have the origin of their directive, or of the one around it", () => {
    const other = { ...origin, name: "other" };
    const inner = { ...directive("keepalive", 1), origin: other };
    const { origins } = serialize([
      directive("pcre_jit", "on"),
      block("upstream", [text("a")], [inner], origin),
    ]);
    expect(origins).toEqual([undefined, origin, other, origin]);
  });

  test.each([
    [
      "a control character",
      "a\u0000b",
      /HTTPRoute default\/web: "a\\u0000b" contains a control character \(0x00\)/,
    ],
    ["a line break", "a\nb", /control character \(0x0a\)/],
    ["DEL", "\u007f", /control character \(0x7f\)/],
    ["half of a character", "\ud800", /not valid Unicode/],
    ["more than nginx reads at once", "x".repeat(4095), /too long/],
  ])("refuses %s, and names the object", (_, value, message) => {
    const directives = [block("server", [], [directive("add_header", text("X"), text(value))], origin)];
    expect(() => serialize(directives)).toThrow(message);
    expect(() => serialize(directives)).toThrow(RefusedValue);
  });

  test("refuses a dollar sign where it has a meaning", () => {
    expect(() => serialize([directive("ssl_certificate", text("a$b"))])).toThrow(/contains "\$"/);
  });

  test("mistakes of our own code are errors", () => {
    expect(() => serialize([directive("return", "a b")])).toThrow(/not a bare word/);
    expect(() => serialize([directive("return", "$host")])).toThrow(/not a bare word/);
    expect(() => serialize([directive("location", text(variable("host")))])).toThrow(/without variables/);
    expect(() => serialize([directive("return", 200, pattern("a$"))])).toThrow(/wrong place/);
    expect(() => serialize([directive("return", 200, text("x", variable("a}b")))])).toThrow(
      /name of a variable/,
    );
    expect(() => serialize([block("server", [], [entry("default", 1)])])).toThrow(/no entries/);
  });
});
