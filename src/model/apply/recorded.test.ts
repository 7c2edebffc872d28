import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ApiError } from "../errors/api-error.js";
import { deepFreeze } from "../object/freeze.js";
import type { JsonObject } from "../object/json.js";
import type { KubeObject, ManagedFieldsEntry } from "../object/object.js";
import type { StructuralSchema } from "../schema/structural-schema.js";
import { apply } from "./apply.js";
import { conflictError } from "./conflicts.js";
import { canonicalJson } from "./fields/canonical-json.js";
import { resetFields } from "./kind-versions.js";
import { recordUpdate } from "./record-update.js";
import { objectType } from "./typed/field-type.js";

/** Kind with everything that field ownership distinguishes, in three versions; in the last, some of it is atomic. */
const widgetSchemas = JSON.parse(
  readFileSync(new URL("fixtures/widget-schemas.json", import.meta.url), "utf8"),
) as Readonly<Record<string, StructuralSchema>>;

/*
 * Results of Kubernetes' own field manager (apimachinery 0.35 with structured-merge-diff 6.3) for the steps in
 * recorded.txt, in the lines below each step. A step is an apply (optionally with `force`, through `/status`, or in a
 * version) or an update by a manager, followed by the object; `update` has the whole object. A line before the steps
 * may name the versions of the kind or its status subresource; between steps, one may give version 1 the schema of
 * another version.
 */
const scenarios = readFileSync(new URL("fixtures/recorded.txt", import.meta.url), "utf8")
  .trim()
  .split("\n\n");

describe("recorded responses of Kubernetes", () => {
  for (const scenario of scenarios) {
    const [title = "", ...lines] = scenario.split("\n");
    test(title.slice(2), () => {
      expect(replay(lines)).toEqual(lines);
    });
  }
});

/** Steps of a scenario, each followed by our results. */
function replay(lines: readonly string[]): string[] {
  const output: string[] = [];
  let types = typesOf(["demo.dev/v1"]);
  let hasStatus = false;
  let live: KubeObject | undefined;
  let step = 0;
  for (const line of lines) {
    if (line.startsWith(" ")) continue;
    output.push(line);
    const [command = "", ...words] = line.split(" ");
    if (command === "versions") types = typesOf(words);
    else if (command === "status") hasStatus = true;
    else if (command === "schema") {
      types = new Map([["demo.dev/v1", objectType(widgetSchemas[words[0] ?? ""] ?? {})]]);
    } else {
      const outcome = run(line, live, types, hasStatus, step++);
      if (outcome instanceof ApiError) output.push(...showError(outcome));
      else {
        live = deepFreeze(outcome);
        output.push(...showObject(live));
      }
    }
  }
  return output;
}

function typesOf(versions: readonly string[]): ReadonlyMap<string, ReturnType<typeof objectType>> {
  return new Map(versions.map((version) => [version, objectType(widgetSchemas[version] ?? {})]));
}

function run(
  line: string,
  live: KubeObject | undefined,
  types: ReadonlyMap<string, ReturnType<typeof objectType>>,
  hasStatus: boolean,
  step: number,
): KubeObject | ApiError {
  const start = line.indexOf("{");
  const [command, name = "", ...flags] = line.slice(0, start).trim().split(" ");
  const body = JSON.parse(line.slice(start)) as { readonly metadata?: object };
  const subresource = flags.includes("/status") ? "status" : undefined;
  const apiVersion = `demo.dev/${flags.find((flag) => /^v\d/.test(flag)) ?? "v1"}`;
  const uid = live && command === "update" ? { uid: "uid" } : {};
  const metadata = { name: "w", ...uid, ...body.metadata };
  const object: KubeObject = deepFreeze({ apiVersion, kind: "Widget", ...body, metadata });
  const write = {
    manager: name === "-" ? "" : name,
    apiVersion,
    subresource,
    time: timeOf(step),
    versions: { types },
    ignored: hasStatus ? resetFields(true, subresource) : undefined,
  };
  const before = live && { ...live, apiVersion };
  if (command === "update") {
    return stored(object, recordUpdate({ ...write, live: before, updated: object }));
  }
  try {
    const config = object as unknown as JsonObject;
    const result = apply({ ...write, kind: "Widget", live: before, config, force: flags.includes("force") });
    if ("conflicts" in result) return conflictError(result.conflicts);
    return stored(result.object, result.managedFields);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function stored(object: KubeObject, entries: readonly ManagedFieldsEntry[] | undefined): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, uid: "uid", ...(entries && { managedFields: entries }) } };
}

function timeOf(step: number): string {
  return `2020-01-01T00:00:${String(step).padStart(2, "0")}Z`;
}

function showError(error: ApiError): string[] {
  const causes = (error.status.details?.causes ?? [])
    .map(({ field = "", message = "" }) => ({ field, message }))
    .sort((a, b) => (a.message + a.field < b.message + b.field ? -1 : 1));
  return [
    ...error.message.split("\n").map((line) => `    refused: ${line}`),
    ...causes.map(({ field, message }) => `    cause: ${field}: ${message}`),
  ];
}

function showObject(object: KubeObject): string[] {
  const { apiVersion: _, kind: __, metadata, ...rest } = object;
  const { name: ___, uid: ____, managedFields, ...shown } = metadata;
  const content = { ...(Object.keys(shown).length > 0 && { metadata: shown }), ...rest };
  return [
    `    object: ${sortedJson(content)}`,
    ...(managedFields ?? []).map((entry) => {
      const { manager, operation, apiVersion, subresource, time, fieldsV1 } = entry;
      const through = subresource === undefined ? "" : ` /${subresource}`;
      const [, seconds] = /^2020-01-01T00:00:(\d\d)Z$/.exec(time ?? "") ?? [];
      const at = seconds === undefined ? time : `step ${Number(seconds) + 1}`;
      const who = `${operation === "Apply" ? "applied" : "updated"} by ${manager ?? ""}${through}`;
      return `    ${who} in ${apiVersion ?? ""}${at === undefined ? "" : ` at ${at}`}: ${sortedJson(fieldsV1)}`;
    }),
  ];
}

/** JSON with sorted keys. */
function sortedJson(value: unknown): string {
  return JSON.stringify(JSON.parse(canonicalJson(value as JsonObject)));
}
