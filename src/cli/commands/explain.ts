import { UsageError, type Command } from "../command/command.js";
import { textOption, connectionOptions } from "../command/options.js";
import { findKind, kindsNamed } from "../objects/find-kind.js";
import { nearest } from "../../model/object/nearest.js";
import type { ServedKind } from "../server/served-kinds.js";
import { insideOf, rulesText, typeText, wrap } from "./explain/field-text.js";
import { schemasOf, type Schema, type GroupSchemas } from "./explain/schema.js";
import { connect } from "../server/connect.js";

export const command: Command = {
  arguments: "<kind>",
  description:
    "Show the fields of a kind, or of one of its fields: types, required fields, defaults and descriptions.",
  options: [
    ...connectionOptions,
    { flags: "--recursive", summary: "show nested fields too, without descriptions" },
    { flags: "--api-version <version>", summary: "API version, such as demo.dev/v1" },
  ],
  examples: [
    ["fettle explain site", "the fields of sites"],
    ["fettle explain site.spec.title", "one of them"],
    ["fettle explain site --recursive", "all fields as an outline"],
    ["fettle explain sites.demo.dev.spec", "a kind with its group"],
  ],
  async run(words, options, terminal) {
    const [word] = words;
    if (word === undefined || words.length > 1)
      throw new UsageError("expected one argument: KIND or KIND.FIELD.FIELD");
    await using server = await connect(options, terminal);
    const version = textOption(options, "apiVersion");
    const served = await server.kinds();
    const kinds = version === undefined ? served : served.filter((each) => each.apiVersion === version);
    if (kinds.length === 0) throw new Error(`the server does not serve ${version}`);
    const { kind, fields } = splitWord(word, kinds);
    const schemas = await schemasOf(server.transport, kind, terminal.signal);
    const width = Math.min(terminal.stdout.columns ?? 80, 100);
    const field = fieldAt(schemas, kind, fields);
    const { bold } = (await import("picocolors")).default.createColors(terminal.colors);
    const write = (text: string): void => void terminal.stdout.write(text);

    if (kind.group !== "") write(`${bold("GROUP:")}      ${kind.group}\n`);
    write(`${bold("KIND:")}       ${kind.kind}\n${bold("VERSION:")}    ${kind.version}\n\n`);
    const whole = schemas.resolve(field.schema);
    if (fields.length > 0) {
      write(
        `${bold("FIELD:")} ${fields.join(".")} <${typeText(field.schema, schemas)}>${field.required ? " -required-" : ""}\n`,
      );
      const rules = rulesText(whole);
      if (rules !== "") write(`  ${rules}\n`);
      write("\n");
    }
    const inside = insideOf(field.schema, schemas);
    const texts = [...new Set([field.schema.description, whole.description, inside.description])].filter(
      Boolean,
    );
    write(`${bold("DESCRIPTION:")}\n${wrap(texts.join("\n") || "<none>", "    ", width)}\n`);
    if (inside.properties === undefined) return;
    write(`${bold("FIELDS:")}\n`);
    if (options["recursive"] === true) writeOutline(inside, schemas, "  ", [], write);
    else writeFields(inside, schemas, width, write);
  },
};

/** Splits at the longest prefix that names a kind; the rest is the path of a field. */
function splitWord(
  word: string,
  kinds: readonly ServedKind[],
): { readonly kind: ServedKind; readonly fields: readonly string[] } {
  const parts = word.replace(/\[\]|\[\d+\]/g, "").split(".");
  for (let length = parts.length; length > 0; length--) {
    const [kind] = kindsNamed(kinds, parts.slice(0, length).join("."));
    if (kind !== undefined) return { kind, fields: parts.slice(length).filter((part) => part !== "") };
  }
  return { kind: findKind(kinds, parts[0] ?? ""), fields: parts.slice(1) };
}

interface Field {
  readonly schema: Schema;
  readonly required: boolean;
}

function fieldAt(schemas: GroupSchemas, { kind }: ServedKind, fields: readonly string[]): Field {
  let field: Field = { schema: schemas.root, required: false };
  for (const [at, name] of fields.entries()) {
    const { properties = {}, required = [] } = insideOf(field.schema, schemas);
    const names = Object.keys(properties);
    const found =
      properties[name] ?? properties[names.find((each) => each.toLowerCase() === name.toLowerCase()) ?? ""];
    if (found === undefined) {
      const parent = [kind, ...fields.slice(0, at)].join(".");
      const suggestion = nearest(name, names);
      const hint =
        suggestion !== undefined
          ? `; did you mean ${suggestion}?`
          : names.length > 0
            ? `; its fields are ${names.join(", ")}`
            : "; its schema lists no fields";
      throw new Error(`${parent} has no field ${JSON.stringify(name)}${hint}`);
    }
    field = { schema: found, required: required.includes(name) };
  }
  return field;
}

function writeFields(
  schema: Schema,
  schemas: GroupSchemas,
  width: number,
  write: (text: string) => void,
): void {
  for (const [name, field] of sortedFields(schema)) {
    const whole = schemas.resolve(field);
    const required = schema.required?.includes(name) === true ? " -required-" : "";
    write(`  ${name}\t<${typeText(field, schemas)}>${required}\n`);
    const text = [whole.description ?? "<no description>", rulesText(whole)]
      .filter((part) => part !== "")
      .join("\n");
    write(`${wrap(text, "    ", width)}\n`);
  }
}

function writeOutline(
  schema: Schema,
  schemas: GroupSchemas,
  indent: string,
  above: readonly unknown[],
  write: (text: string) => void,
): void {
  for (const [name, field] of sortedFields(schema)) {
    const required = schema.required?.includes(name) === true ? " -required-" : "";
    const inside = insideOf(field, schemas);
    // Recursive schemas are expanded once.
    const isRound = above.includes(inside.properties);
    write(`${indent}${name}\t<${typeText(field, schemas)}>${required}${isRound ? " …" : ""}\n`);
    if (inside.properties !== undefined && !isRound) {
      writeOutline(inside, schemas, `${indent}  `, [...above, inside.properties], write);
    }
  }
}

function sortedFields({ properties = {} }: Schema): readonly (readonly [string, Schema])[] {
  return Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
}
