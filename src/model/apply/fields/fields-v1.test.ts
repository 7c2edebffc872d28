import { describe, expect, test } from "vitest";
import type { Json } from "../../object/json.js";
import { pathsOf } from "./field-set.js";
import { parseFieldsV1 } from "./fields-v1.js";
import { FieldSetError, renderPath } from "./path-element.js";

function read(text: string): string {
  return JSON.stringify(parseFieldsV1(JSON.parse(text) as Json));
}

describe("fieldsV1", () => {
  test("is sorted in Kubernetes' order", () => {
    const shuffled = {
      "i:10": {},
      "i:2": {},
      "v:true": {},
      'v:"b"': {},
      "v:10": {},
      "v:9": {},
      'k:{"port":8080,"protocol":"TCP"}': {},
      'k:{"protocol":"TCP","port":80}': {},
      'k:{"name":"x"}': {},
      'k:{"name":10}': {},
      "f:\u{1f600}": {},
      "f:\uffee": {},
      "f:b": { "f:c": {}, ".": {} },
      "f:a": {},
    };
    expect(Object.keys(parseFieldsV1(shuffled))).toEqual([
      "f:a",
      "f:b",
      "f:\uffee",
      "f:\u{1f600}",
      'k:{"name":10}',
      'k:{"name":"x"}',
      'k:{"port":80,"protocol":"TCP"}',
      'k:{"port":8080,"protocol":"TCP"}',
      "v:9",
      "v:10",
      'v:"b"',
      "v:true",
      "i:2",
      "i:10",
    ]);
    expect(JSON.stringify(parseFieldsV1({ "f:b": { "f:c": {}, ".": {} } }))).toBe(
      '{"f:b":{".":{},"f:c":{}}}',
    );
  });

  test.each([
    [
      "one spelling for an element",
      '{"k:{ \\"b\\": 1.0, \\"a\\":\\"<\\" }":{}}',
      '{"k:{\\"a\\":\\"\\\\u003c\\",\\"b\\":1}":{}}',
    ],
    ["no number below zero", '{"v:-0":{}}', '{"v:0":{}}'],
    ["null for a member without anything below", '{"f:a":null}', '{"f:a":{}}'],
    ["a mark alone is none", '{"f:a":{".":{}}}', '{"f:a":{}}'],
    ["a mark with anything", '{"f:a":{".":[1],"f:b":{}}}', '{"f:a":{".":{},"f:b":{}}}'],
    ["a mark on the whole object", '{".":{},"f:a":{}}', '{"f:a":{}}'],
    ["kinds that come later", '{"x:a":{"bad":5},"f:a":{"y:":{}}}', '{"f:a":{}}'],
    [
      "names that mean something in JavaScript",
      '{"f:__proto__":{"f:constructor":{}}}',
      '{"f:__proto__":{"f:constructor":{}}}',
    ],
    ["nothing", "null", "{}"],
  ])("parses %s", (_, text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test.each([
    ['{"name":{}}'],
    ['{"f":{}}'],
    ['{"":{}}'],
    ['{"__proto__":{}}'],
    ['{"k:name":{}}'],
    ['{"k:[1]":{}}'],
    ['{"v:":{}}'],
    ['{"i:x":{}}'],
    ['{"i:99999999999999999999":{}}'],
    ['{"f:a":1}'],
    ['{"f:a":[]}'],
    ["[]"],
    ['"x"'],
    [`${'{"f:a":'.repeat(5000)}{}${"}".repeat(5000)}`],
  ])("rejects %.40s", (text) => {
    expect(() => read(text)).toThrow(FieldSetError);
  });

  test("renderPath formats paths like conflicts do", () => {
    const set = parseFieldsV1({
      "f:spec": {
        "f:ports": { 'k:{"port":80,"protocol":"T\\"CP"}': { ".": {}, "f:name": {} } },
        "f:tags": { 'v:"x"': {}, "v:2.5": {} },
        "f:list": { "i:3": {} },
        "f:replicas": {},
      },
    });
    expect(pathsOf(set).map(renderPath)).toEqual([
      ".spec.replicas",
      ".spec.list[3]",
      '.spec.ports[port=80,protocol="T\\"CP"]',
      '.spec.ports[port=80,protocol="T\\"CP"].name',
      ".spec.tags[=2.5]",
      '.spec.tags[="x"]',
    ]);
  });
});
