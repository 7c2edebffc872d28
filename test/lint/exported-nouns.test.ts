import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Nouns of Kubernetes that two layers need, with the same meaning in both. */
const sameMeaning = new Set([
  "CustomResourceDefinition",
  "Lease",
  "MetricFamily",
  "PrinterColumn",
  "Sample",
  "Subresource",
  "Subresources",
  "TableColumn",
]);

const declaration = /^export (?:abstract )?(?:class|interface|type|const) ([A-Z]\w*)/gm;

test("every exported noun is declared in one file, so that it has one meaning", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => join("src", file));
  const declared = new Map<string, Set<string>>();
  for (const file of files) {
    for (const [, noun = ""] of readFileSync(file, "utf8").matchAll(declaration)) {
      declared.set(noun, (declared.get(noun) ?? new Set()).add(file));
    }
  }
  const ambiguous = [...declared].filter(([noun, where]) => where.size > 1 && !sameMeaning.has(noun));
  expect(ambiguous.map(([noun, where]) => `${noun}: ${[...where].join(", ")}`)).toEqual([]);
  expect(declared.size).toBeGreaterThan(1000);
});
