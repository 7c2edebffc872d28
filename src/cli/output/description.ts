import type { UntypedObject } from "../../client/kinds/kind.js";
import { formatAge, parseTime, systemClock } from "../../model/core.js";
import { titleOf } from "../objects/find-kind.js";
import type { Child } from "../objects/children.js";
import { cellText, columns, headerRow, type TableCell, type Colors } from "../terminal/columns.js";
import { yamlOf } from "./objects.js";
import {
  sortByTime,
  type PrintedEvent,
  sourceText,
  ageText,
  messageText,
  typeCell,
} from "../objects/events.js";
import { type HeldState } from "../objects/held-objects.js";

export interface Described {
  readonly object: UntypedObject;
  /** Undefined when they were not listed. */
  readonly children: readonly Child[] | undefined;
  readonly events: readonly PrintedEvent[] | undefined;
  /** Why the object is not reconciled, if so. */
  readonly held: readonly HeldState[];
  readonly colors: boolean;
}

interface SeenCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** Describes an object: metadata, then its fields as an outline, then conditions, children and events as tables. */
export async function description({ object, children, events, held, colors }: Described): Promise<string> {
  const now = systemClock.now();
  const { default: picocolors } = await import("picocolors");
  const paint = picocolors.createColors(colors);
  const { bold } = paint;
  const { apiVersion: _version, kind: _kind, metadata: _metadata, status, ...parts } = object;
  const { conditions, ...rest } = statusParts(status);
  const sections = [columns([...headRows(object, now), ...heldRows(held, paint)])];
  for (const [name, value] of Object.entries(parts)) {
    sections.push(await part(name, name === "data" && isSecret(object) ? sizesOf(value) : value, bold));
  }
  if (Object.keys(rest).length > 0) sections.push(await part("status", rest, bold));
  if (conditions.length > 0) {
    const rows = conditions.map(({ type = "", status = "", lastTransitionTime, reason, message }) => [
      cellText(type),
      conditionCell(type, status, paint),
      ageOf(lastTransitionTime, now),
      cellText(reason ?? ""),
      cellText(message ?? ""),
    ]);
    const titles = headerRow(["TYPE", "STATUS", "SINCE", "REASON", "MESSAGE"], paint);
    sections.push(`${bold("conditions:")}\n${columns([titles, ...rows], "  ")}`);
  }
  if (children !== undefined && children.length > 0) {
    const rows = children.map(({ kind, object }) => [
      titleOf(kind, object.metadata.name),
      ageOf(object.metadata.creationTimestamp, now),
      object.metadata.deletionTimestamp ? "deleting" : "",
    ]);
    sections.push(`${bold("owns:")}\n${columns(rows, "  ")}`);
  }
  if (events !== undefined) {
    const rows = sortByTime(events).map((event) => [
      ageText(event, now),
      typeCell(event, paint),
      cellText(event.reason),
      sourceText(event),
      messageText(event),
    ]);
    const titles = headerRow(["LAST SEEN", "TYPE", "REASON", "FROM", "MESSAGE"], paint);
    sections.push(
      rows.length === 0
        ? `${bold("events:")}  <none>\n`
        : `${bold("events:")}\n${columns([titles, ...rows], "  ")}`,
    );
  }
  return sections.join("");
}

/** Status of a condition as a cell; Stalled is the one standard condition that is bad when it is True. */
function conditionCell(type: string, text: string, { green, red, yellow }: Colors): TableCell {
  const good = type === "Stalled" ? "False" : "True";
  return { text, paint: text === "Unknown" ? yellow : text === good ? green : red };
}

const waysOut: Readonly<Record<HeldState, string>> = {
  paused: "not reconciled until fettle resume",
  "given up": "not reconciled until it changes, or fettle retry",
};

function heldRows(held: readonly HeldState[], paint: Colors): readonly (readonly TableCell[])[] {
  return held.map((state) => {
    const color = state === "given up" ? paint.red : paint.yellow;
    return ["state:", { text: `${state}: ${waysOut[state]}`, paint: color }];
  });
}

function isSecret({ apiVersion, kind }: UntypedObject): boolean {
  return apiVersion === "v1" && kind === "Secret";
}

/** Replaces the values of a Secret by their sizes. */
function sizesOf(data: unknown): unknown {
  const entries = Object.entries((data ?? {}) as Record<string, string>);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, `${Buffer.from(value, "base64").length} bytes`]),
  );
}

function statusParts(status: unknown): {
  readonly conditions: readonly SeenCondition[];
  readonly [key: string]: unknown;
} {
  if (typeof status !== "object" || status === null) return { conditions: [] };
  const { conditions, ...rest } = status as Record<string, unknown>;
  return { ...rest, conditions: Array.isArray(conditions) ? (conditions as readonly SeenCondition[]) : [] };
}

function headRows(
  { apiVersion, kind, metadata }: UntypedObject,
  now: number,
): readonly (readonly string[])[] {
  const { name = "", namespace, labels, annotations, creationTimestamp, deletionTimestamp } = metadata;
  const { generation, finalizers = [], ownerReferences = [], uid } = metadata;
  const time = (text: string): string => `${text} (${ageOf(text, now)} ago)`;
  return [
    ["name:", name],
    ...(namespace === undefined ? [] : [["namespace:", namespace]]),
    ["kind:", `${kind} (${apiVersion})`],
    ...listRows("labels:", Object.entries(labels ?? {}).map(pairText)),
    ...listRows(
      "annotations:",
      Object.entries(annotations ?? {})
        .filter(([key]) => key !== lastApplied)
        .map(pairText),
    ),
    ...(creationTimestamp ? [["created:", time(creationTimestamp)]] : []),
    ...(deletionTimestamp ? [["deleted:", `${time(deletionTimestamp)}, waiting for finalizers`]] : []),
    ...(generation === undefined ? [] : [["generation:", String(generation)]]),
    ...(uid === undefined ? [] : [["uid:", uid]]),
    ...listRows("finalizers:", finalizers),
    ...listRows(
      "owned by:",
      ownerReferences.map(
        ({ kind, name, controller }) => `${kind}/${name}${controller === true ? " (controller)" : ""}`,
      ),
    ),
  ];
}

const longestValue = 140;
/** Annotation in which `kubectl apply` stores the whole object. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

function pairText([key, value]: readonly [string, string]): string {
  const text = `${key}=${cellText(value)}`;
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

function listRows(title: string, values: readonly string[]): readonly (readonly string[])[] {
  return values.map((value, at) => [at === 0 ? title : "", value]);
}

async function part(name: string, value: unknown, bold: (text: string) => string): Promise<string> {
  const isInside = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  const text = await yamlOf(value);
  return isInside
    ? `${bold(`${name}:`)}\n${text.replaceAll(/^(?=.)/gm, "  ")}`
    : `${bold(`${name}:`)}  ${text}`;
}

function ageOf(time: string | null | undefined, now: number): string {
  try {
    return time ? formatAge(now - parseTime(time)) : "<unknown>";
  } catch {
    return "<unknown>";
  }
}
