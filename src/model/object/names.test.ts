import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  maskTrailingDash,
  nameIsDns1035Label,
  nameIsDns1123Label,
  nameIsDns1123Subdomain,
  regexError,
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validatePathSegmentName,
  validateQualifiedName,
} from "./names.js";

const texts = {
  label:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  subdomain:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  dns1035:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  key: "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  value:
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
};

const a = (count: number): string => "a".repeat(count);

describe("DNS names", () => {
  test.each<[(text: string) => string[], string, string[]]>([
    [validateDns1123Label, "a", []],
    [validateDns1123Label, "0-a-9", []],
    [validateDns1123Label, a(63), []],
    [validateDns1123Label, a(64), ["must be no more than 63 characters"]],
    [validateDns1123Label, "a.b", ["must not contain dots"]],
    [validateDns1123Label, `${a(63)}.b`, ["must be no more than 63 characters", "must not contain dots"]],
    [validateDns1123Label, "", [texts.label]],
    [validateDns1123Label, "-a", [texts.label]],
    [validateDns1123Label, "a-", [texts.label]],
    [validateDns1123Label, "A", [texts.label]],
    [validateDns1123Label, "a\n", [texts.label]],
    [validateDns1123Label, "ä".repeat(32), ["must be no more than 63 characters", texts.label]],
    [validateDns1123Subdomain, "a.b-c.0", []],
    [validateDns1123Subdomain, a(253), []],
    [validateDns1123Subdomain, a(254), ["must be no more than 253 characters"]],
    [validateDns1123Subdomain, "a..b", [texts.subdomain]],
    [validateDns1123Subdomain, ".a", [texts.subdomain]],
    [validateDns1123Subdomain, "a_b", [texts.subdomain]],
    [validateDns1035Label, "a-9", []],
    [validateDns1035Label, "9a", [texts.dns1035]],
    [validateDns1035Label, a(64), ["must be no more than 63 characters"]],
  ])("%o %j", (validate, text, faults) => {
    expect(validate(text)).toEqual(faults);
  });
});

describe("label keys and values", () => {
  test.each([
    ["app", []],
    ["A_b.c-1", []],
    ["example.com/app", []],
    ["constructor", []],
    [`${a(253)}/${a(63)}`, []],
    ["", ["name part must be non-empty", `name part ${texts.key}`]],
    ["__proto__", [`name part ${texts.key}`]],
    [a(64), ["name part must be no more than 63 bytes"]],
    ["/app", ["prefix part must be non-empty"]],
    ["Example/app", [`prefix part ${texts.subdomain}`]],
    [`${a(254)}/app`, ["prefix part must be no more than 253 bytes"]],
    ["example.com/", ["name part must be non-empty", `name part ${texts.key}`]],
    [
      "a/b/c",
      [
        `a valid label key ${texts.key} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ],
    ],
  ])("key %j", (text, faults) => {
    expect(validateQualifiedName(text)).toEqual(faults);
  });

  test.each([
    ["", []],
    ["a.B_c-9", []],
    [a(64), ["must be no more than 63 bytes"]],
    ["a b", [texts.value]],
    ["-a", [texts.value]],
  ])("value %j", (text, faults) => {
    expect(validateLabelValue(text)).toEqual(faults);
  });
});

describe("names of objects", () => {
  test.each([
    [".", false, ["may not be '.'"]],
    ["..", false, ["may not be '..'"]],
    ["..", true, []],
    ["a/b%", false, ["may not contain '/'", "may not contain '%'"]],
    ["system:node:x", false, []],
  ])("path segment %j, prefix %s", (name, prefix, faults) => {
    expect(validatePathSegmentName(name, prefix)).toEqual(faults);
  });

  test.each([nameIsDns1123Label, nameIsDns1123Subdomain, nameIsDns1035Label])(
    "a dash may end a prefix, but not a name (%o)",
    (validate) => {
      expect(validate("web-", true)).toEqual([]);
      expect(validate("web-")).toHaveLength(1);
      expect(validate("-", true)).toHaveLength(1);
    },
  );

  test("maskTrailingDash replaces the last two characters", () => {
    expect(maskTrailingDash("web-")).toBe("wea");
    expect(maskTrailingDash("web")).toBe("web");
    expect(maskTrailingDash("-")).toBe("-");
  });
});

test("regexError without examples shows only the expression", () => {
  expect(regexError("must be a digit", "[0-9]")).toBe(
    "must be a digit (regex used for validation is '[0-9]')",
  );
});

test("validates very long strings", () => {
  const long = `${"a-".repeat(2_000_000)}!`;
  const dotted = `${"a.".repeat(2_000_000)}!`;
  for (const text of [long, dotted]) {
    expect(validateDns1123Subdomain(text)).toHaveLength(2);
    expect(validateDns1123Label(text)).toHaveLength(2);
    expect(validateQualifiedName(text)).toHaveLength(2);
    expect(validateLabelValue(text)).toHaveLength(2);
  }
});

test("every DNS-1035 label is a DNS-1123 label, and every such label is a subdomain", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]([-a-z0-9]{0,9}[a-z0-9])?$/), (text) => {
      expect(validateDns1035Label(text)).toEqual([]);
      expect(validateDns1123Label(text)).toEqual([]);
      expect(validateDns1123Subdomain(text)).toEqual([]);
      expect(validateQualifiedName(text)).toEqual([]);
    }),
  );
});
