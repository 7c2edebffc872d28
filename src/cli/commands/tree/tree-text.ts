import picocolors from "picocolors";
import { findCondition, formatAge, type Condition, type KubeObject } from "../../../model/core.js";
import { cellText } from "../../terminal/columns.js";
import type { TreeNode } from "./object-tree.js";

/** Readiness of an object. */
interface Readiness {
  /** True, False or Unknown; the phase of an object without conditions; empty without either. */
  readonly ready: string;
  readonly reason: string;
  readonly message: string;
}

/** Condition types that mean readiness, the most common first. */
const readyTypes = ["Ready", "Available", "Complete", "Established"];

function readinessOf({ metadata, status }: KubeObject): Readiness {
  const { conditions, phase } = (status ?? {}) as { conditions?: readonly Condition[]; phase?: unknown };
  const condition = readyTypes
    .map((type) => findCondition(conditions, type))
    .find((found) => found !== undefined);
  const { status: ready = "", reason = "", message = "" } = condition ?? {};
  if (metadata.deletionTimestamp) {
    const waiting = metadata.finalizers?.join(", ");
    return { ready: "Deleting", reason, message: waiting === undefined ? message : `waits for ${waiting}` };
  }
  return { ready: ready || (typeof phase === "string" ? phase : ""), reason, message };
}

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
    return [label, ready || "-", reason, age, ready === "True" ? "" : cellText(message)];
  });
  const table = [["NAME", "READY", "REASON", "AGE", "MESSAGE"], ...cells];
  const widths = table[0]?.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0))) ?? [];
  return table
    .map((row, line) => {
      const padded = row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)));
      if (line > 0) padded[1] = colourOf(row[1] ?? "", paint)(padded[1] ?? "");
      return `${(line === 0 ? paint.dim(padded.join("   ")) : padded.join("   ")).trimEnd()}\n`;
    })
    .join("");
}

type Colors = ReturnType<typeof picocolors.createColors>;

function colourOf(ready: string, paint: Colors): (text: string) => string {
  if (ready === "True") return paint.green;
  if (ready === "False" || ready === "Failed") return paint.red;
  return ready === "-" ? paint.dim : paint.yellow;
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
