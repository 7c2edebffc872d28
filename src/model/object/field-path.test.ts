import { expect, test } from "vitest";
import { childPath, indexPath, keyPath } from "./field-path.js";

test("formats paths like Kubernetes", () => {
  expect(childPath("", "metadata")).toBe("metadata");
  expect(childPath("spec", "template", "name")).toBe("spec.template.name");
  expect(childPath(indexPath(childPath("spec", "ports"), 0), "name")).toBe("spec.ports[0].name");
  expect(keyPath("metadata.labels", "app")).toBe("metadata.labels[app]");
});
