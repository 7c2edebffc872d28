import { describe, expect, test } from "vitest";
import type { ResourceType } from "../../resources/resource-type.js";
import { PlainObject } from "../../resources/stored-object.js";
import { listBody } from "./list-body.js";

const type = { group: "demo.dev", version: "v1", listKind: "WidgetList" } as ResourceType;

function widgets(count: number, size: number): PlainObject[] {
  return Array.from({ length: count }, (_, index) => {
    const metadata = { name: `w-${index}` };
    return new PlainObject({
      apiVersion: "demo.dev/v1",
      kind: "Widget",
      metadata,
      spec: { text: "x".repeat(size) },
    });
  });
}

describe("listBody", () => {
  test.each([
    [0, 0],
    [1, 0],
    [3, 10],
    [1, 300_000],
    [2, 262_000],
    [1000, 1000],
    [7, 200_000],
    [5000, 3],
  ])("%i objects of %i bytes", (count, size) => {
    const items = widgets(count, size);
    const body = listBody(type, { items, resourceVersion: "7" });
    const chunks = [...body.chunks];
    const text = Buffer.concat(chunks);
    expect(text.length).toBe(body.size);
    expect(JSON.parse(text.toString())).toEqual({
      kind: "WidgetList",
      apiVersion: "demo.dev/v1",
      metadata: { resourceVersion: "7" },
      items: items.map(({ object }) => object),
    });
    if (body.size <= 256 * 1024) expect(chunks).toHaveLength(1);
    else for (const chunk of chunks) expect(chunk.length).toBeLessThan(600_000);
  });

  test("includes continue and remainingItemCount", () => {
    const body = listBody(type, {
      items: [],
      resourceVersion: "7",
      continue: "abc",
      remainingItemCount: 5,
    });
    expect(Buffer.concat([...body.chunks]).toString()).toBe(
      '{"kind":"WidgetList","apiVersion":"demo.dev/v1","metadata":{"resourceVersion":"7","continue":"abc",' +
        '"remainingItemCount":5},"items":[]}\n',
    );
  });
});
