import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { formatCheck } from "./formats.js";

/** For each format some texts that are of it, and some that are not. */
const cases: Readonly<Record<string, readonly [valid: readonly string[], invalid: readonly string[]]>> = {
  bsonobjectid: [["507f1f77bcf86cd799439011"], ["507f1f77bcf86cd79943901", "z07f1f77bcf86cd799439011"]],
  byte: [
    ["YQ==", "YWI=", "YWJj", "+/+/"],
    ["", "Y===", "YW-_", "YQ", "YQ==\n"],
  ],
  cidr: [
    ["10.0.0.0/8", "010.0.0.0/8", "::/0", "::ffff:1.2.3.4/96"],
    ["10.0.0.0", "10.0.0.0/33", "::/129", "1.2.3.4/", "1.2.3.4/a", "1.2.3/8"],
  ],
  creditcard: [
    ["4220855426222389", "4220 8554-2622 2389"],
    ["4220855426213389", "", "30190239451016"],
  ],
  date: [
    ["2024-02-29", "0000-01-01"],
    ["2023-02-29", "2024-13-01", "2024-1-1", "2024-04-31", "2024-00-10", ""],
  ],
  "date-time": [
    [
      "2024-02-29T10:00:00Z",
      "2024-02-29t10:00:00z",
      "2024-02-29T10:00:00.123+01:00",
      "2024-02-29T10:00:00ZTx",
    ],
    ["2024-02-29T24:00:00Z", "2024-02-29T23:59:60Z", "2024-02-29 10:00:00Z", "2024-02-29T10:00:00", "", "T"],
  ],
  duration: [
    ["1h", "1h30m", "-1.5s", "0", ".5s", "2 weeks", "3days", "5 MIN", "in 10 secs", "1µs", "1.5d"],
    ["", "1", "-", "10 x", "99999999999999999999 days", "h"],
  ],
  email: [
    [
      "a@b",
      "a.b@c.d",
      "Ann <a@b.c>",
      '"q\\" s"@x.y',
      "a@[1.2.3.4]",
      "a@b (c)",
      "Ann: a@b;",
      '"A" B <a@b>',
      "é@ü",
    ],
    [
      "",
      "a",
      "a@",
      "@b",
      "a..b@c",
      ".a@b",
      "a@b c@d",
      "Ann: a@b, c@d;",
      "Ann:;",
      "(c) a@b",
      "<a@b",
      "a@[x]",
      "Ann",
    ],
  ],
  hexcolor: [
    ["#fff", "FFFFFF"],
    ["#ff", "#ggg", ""],
  ],
  hostname: [
    ["a", "example.com", "a-b.co", "☃.com", "localhost"],
    [
      "",
      "-a.com",
      "a_b",
      "1.2.3.4",
      "example.com.",
      `${"a".repeat(64)}.com`,
      `${"abcdefghi.".repeat(26)}com`,
    ],
  ],
  ipv4: [
    ["1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4"],
    ["1.2.3", "1.2.3.256", "1.2.3.4.5", "::1", "", "1.2.3.-4"],
  ],
  ipv6: [
    ["::", "::1", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "1:2:3:4:5:6:1.2.3.4"],
    [
      "1.2.3.4",
      "1::2::3",
      "12345::",
      "fe80::1%eth0",
      ":1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "::ffff:01.2.3.4",
      ":",
    ],
  ],
  isbn: [
    ["0321751043", "978-0321751041", "3 401 01319 X"],
    ["0321751044", "978-0321751042", ""],
  ],
  isbn10: [["0321751043"], ["978-0321751041"]],
  isbn13: [["978-0321751041"], ["0321751043"]],
  "k8s-long-name": [
    ["a.b-c.1", "a".repeat(253)],
    ["a..b", "a.-b", "A", "", "a".repeat(254)],
  ],
  "k8s-short-name": [
    ["a-b", "a".repeat(63)],
    ["a.b", "-a", "a-", "A", "", "a".repeat(64)],
  ],
  mac: [
    ["01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab", "0123456789ab", "01:23:45:67:89:ab:cd:ef"],
    ["01:23-45:67:89:ab", "01:23:45:67:89", "", "0g:23:45:67:89:ab"],
  ],
  password: [["", "x"], []],
  rgbcolor: [
    ["rgb(1,2,3)", "rgb( 0 , 255 ,19)"],
    ["rgb(256,0,0)", "rgb(01,1,1)", "rgb(1,2)", "rgba(1,2,3)"],
  ],
  ssn: [
    ["111-11-1111", "111 11 1111"],
    ["111111111", "111-11-111a"],
  ],
  uri: [
    [
      "http://a.b/c?d#e",
      "https://u:p@h:80/x",
      "http://[::1]:80/",
      "mailto:x",
      "/abs",
      "*",
      "http://é/",
      "x://[fe80::1%25en0]",
    ],
    [
      "",
      "x",
      "./a",
      ":a",
      "http://a b",
      "http://%41/",
      "/%zz",
      "http://[1.2.3.4]/",
      "http://h:x/",
      "http://a\n",
    ],
  ],
  uuid: [
    ["123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000"],
    ["123e4567", ""],
  ],
  uuid3: [["123e4567-e89b-32d3-a456-426614174000"], ["123e4567-e89b-42d3-a456-426614174000"]],
  uuid4: [["123e4567-e89b-42d3-a456-426614174000"], ["123e4567-e89b-42d3-c456-426614174000"]],
  uuid5: [["123e4567-e89b-52d3-a456-426614174000"], ["123e4567-e89b-32d3-a456-426614174000"]],
};

describe("formatCheck", () => {
  for (const [format, [valid, invalid]] of Object.entries(cases)) {
    const check = formatCheck(format);
    test.each(valid)(`${format}: %j`, (text) => {
      expect(check?.(text)).toBe(true);
    });
    test.each(invalid)(`not ${format}: %j`, (text) => {
      expect(check?.(text)).toBe(false);
    });
  }

  test("ignores dashes in names, and unknown formats", () => {
    expect(formatCheck("datetime")).toBe(formatCheck("date-time"));
    for (const name of ["int32", "int64", "float", "double", "quantity", "__proto__", ""]) {
      expect(formatCheck(name)).toBeUndefined();
    }
  });

  test("never throws or hangs", () => {
    const long = [
      "1",
      "a",
      "(",
      '"',
      "1 ",
      "a.",
      ":",
      " ",
      "9a",
      '\\"',
      "(a",
      "::",
      "1.",
      "-",
      "=",
      "é",
      "x <",
    ].map((unit) => unit.repeat(50_000));
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(...long, ...long.map((text) => `http://${text}`)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(cases)), texts, (format, text) => {
        expect(formatCheck(format)?.(text)).toBeTypeOf("boolean");
      }),
      { numRuns: 400 },
    );
  });
});
