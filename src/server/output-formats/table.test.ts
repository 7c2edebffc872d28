import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../model/core.js";
import type { TableColumn } from "../resources/resource-type.js";
import { PlainObject } from "../resources/stored-object.js";
import { ageColumn, ageOf, nameColumn, scaleColumns } from "./columns.js";
import { partialObjectMetadata, partialObjectMetadataList } from "./partial-metadata.js";
import { parseIncludeObject, tableOf } from "./table.js";

const now = Date.parse("2024-05-01T12:00:00Z");

function widget(name: string, size: number, resourceVersion = "7"): PlainObject {
  const creationTimestamp = "2024-05-01T11:55:00Z";
  return new PlainObject({
    apiVersion: "demo.dev/v1",
    kind: "Widget",
    metadata: { name, namespace: "default", resourceVersion, creationTimestamp },
    spec: { size, note: 'a "quoted" ü' },
  });
}

const sizeColumn: TableColumn = {
  name: "Size",
  type: "integer",
  format: "int32",
  description: "How large it is.",
  priority: 1,
  cell: ({ spec }: KubeObject) => (spec as { size?: number } | undefined)?.size ?? null,
};
const type = { columns: [nameColumn, sizeColumn, ageColumn] };

describe("a table", () => {
  it("shows a list", () => {
    const listMeta = { resourceVersion: "9", continue: "abc", remainingItemCount: 3 };
    const table = JSON.parse(tableOf(type, [widget("a", 1), widget("b", 2, "8")], { now, listMeta }));
    expect(table).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1", metadata: listMeta });
    expect(table.columnDefinitions).toEqual([
      expect.objectContaining({ name: "Name", type: "string", format: "name", priority: 0 }),
      { name: "Size", type: "integer", format: "int32", description: "How large it is.", priority: 1 },
      expect.objectContaining({ name: "Age", type: "date", format: "" }),
    ]);
    expect(table.rows).toEqual([
      { cells: ["a", 1, "5m"], object: partialObjectMetadata(widget("a", 1).object) },
      { cells: ["b", 2, "5m"], object: partialObjectMetadata(widget("b", 2, "8").object) },
    ]);
  });

  it("shows an empty list", () => {
    const table = JSON.parse(tableOf(type, [], { now, listMeta: { resourceVersion: "9", continue: "" } }));
    expect(table).toMatchObject({ metadata: { resourceVersion: "9" }, rows: [] });
    expect(table.metadata).not.toHaveProperty("continue");
  });

  it("shows one object with its resourceVersion", () => {
    const table = JSON.parse(tableOf(type, [widget("a", 1)], { now }));
    expect(table.metadata).toEqual({ resourceVersion: "7" });
    expect(table.rows).toHaveLength(1);
  });

  it("omits column definitions in later events of a watch", () => {
    const table = JSON.parse(tableOf(type, [widget("a", 1)], { now, columnDefinitions: false }));
    expect(table.columnDefinitions).toBeNull();
  });

  it("includes whole objects or none on request", () => {
    const answer = widget("a", 1);
    const rowOf = (includeObject: "None" | "Object") =>
      JSON.parse(tableOf(type, [answer], { now, includeObject })).rows[0];
    expect(rowOf("None").object).toBeNull();
    expect(rowOf("Object").object).toEqual(answer.object);
  });

  it("is available as v1beta1", () => {
    const table = JSON.parse(tableOf(type, [widget("a", 1)], { now, version: "v1beta1" }));
    expect(table.apiVersion).toBe("meta.k8s.io/v1beta1");
    expect(table.rows[0].object.apiVersion).toBe("meta.k8s.io/v1beta1");
  });

  it("shows name and age of kinds without columns", () => {
    const table = JSON.parse(tableOf({ columns: [] }, [widget("a", 1)], { now }));
    expect(table.rows[0].cells).toEqual(["a", "5m"]);
  });

  it("shows a scale", () => {
    const scale = new PlainObject({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "a" },
      spec: { replicas: 3 },
      status: {},
    });
    const table = JSON.parse(tableOf({ columns: scaleColumns }, [scale], { now }));
    expect(table.rows[0].cells).toEqual(["a", 3, null, "<unknown>"]);
  });

  it("shows a bookmark, which has metadata only", () => {
    const bookmark = new PlainObject({
      apiVersion: "demo.dev/v1",
      kind: "Widget",
      metadata: { resourceVersion: "12", creationTimestamp: null },
    });
    const table = JSON.parse(tableOf(type, [bookmark], { now, columnDefinitions: false }));
    expect(table.metadata.resourceVersion).toBe("12");
    expect(table.rows[0].cells).toEqual(["", null, "<unknown>"]);
  });
});

describe("ages", () => {
  it("are formatted as in kubectl", () => {
    expect(ageOf("2024-04-28T12:00:00Z", now)).toBe("3d");
    expect(ageOf(undefined, now)).toBe("<unknown>");
    expect(ageOf("yesterday", now)).toBe("<invalid>");
  });
});

describe("includeObject", () => {
  it("defaults to Metadata", () => {
    expect([undefined, null, "", "None", "Object"].map(parseIncludeObject)).toEqual([
      "Metadata",
      "Metadata",
      "Metadata",
      "None",
      "Object",
    ]);
  });

  it("is rejected with Kubernetes' message when unknown", () => {
    expect(() => parseIncludeObject("All")).toThrow(
      `Unable to convert to Table as requested: includeObject: Invalid value: "All": must be 'Metadata', 'Object', 'None', or empty`,
    );
  });
});

describe("PartialObjectMetadata", () => {
  it("of an object", () => {
    expect(partialObjectMetadata(widget("a", 1).object, "v1beta1")).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1beta1",
      metadata: widget("a", 1).object.metadata,
    });
  });

  it("of a list", () => {
    const list = JSON.parse(partialObjectMetadataList([widget("a", 1)], { resourceVersion: "9" }));
    expect(list).toEqual({
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: "9" },
      items: [partialObjectMetadata(widget("a", 1).object)],
    });
  });
});
