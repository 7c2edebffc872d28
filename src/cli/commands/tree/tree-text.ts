import picocolors from "picocolors";
import { formatAge, type KubeObject } from "../../../model/core.js";
import { readinessOf, readyCell } from "../../objects/readiness.js";
import { cellText, columns, headerRow } from "../../terminal/columns.js";
import type { TreeNode } from "./object-tree.js";

/** Formats an object and the objects it owns as a tree, with the readiness of each. */
export function treeText(
  root: TreeNode,
  { now, colors }: { readonly now: number; readonly colors: boolean },
): string {
  const paint = picocolors.createColors(colors);
  const rows: Row[] = [];
  collect(root, "", "", root.object.metadata.namespace, rows);
  const cells = rows.map(({ label, object }) => {
    const { ready, reason, message } = readinessOf(object);
    const created = Date.parse(object.metadata.creationTimestamp ?? "");
    const age = Number.isNaN(created) ? "" : formatAge(now - created);
    // The message of a ready object adds nothing.
    return [label, readyCell(ready || "-", paint), reason, age, ready === "True" ? "" : cellText(message)];
  });
  return columns([headerRow(["NAME", "READY", "REASON", "AGE", "MESSAGE"], paint), ...cells]);
}

interface Row {
  readonly label: string;
  readonly object: KubeObject;
}

function collect(
  node: TreeNode,
  lead: string,
  below: string,
  namespace: string | undefined,
  rows: Row[],
): void {
  const { metadata } = node.object;
  const elsewhere =
    metadata.namespace !== undefined && metadata.namespace !== namespace ? `${metadata.namespace}/` : "";
  rows.push({ label: `${lead}${node.kind.kind}/${elsewhere}${metadata.name ?? ""}`, object: node.object });
  for (const [at, child] of node.children.entries()) {
    const isLast = at === node.children.length - 1;
    collect(child, `${below}${isLast ? "└─ " : "├─ "}`, `${below}${isLast ? "   " : "│  "}`, namespace, rows);
  }
}

/** The same tree as a value, for JSON and YAML. */
export function treeValue({ kind, object, children }: TreeNode): object {
  const { name, namespace, uid, creationTimestamp } = object.metadata;
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    ...(namespace !== undefined && { namespace }),
    name,
    uid,
    creationTimestamp,
    ...readinessOf(object),
    children: children.map(treeValue),
  };
}
