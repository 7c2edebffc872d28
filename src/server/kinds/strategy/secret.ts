import { fieldErrors, type KubeObject, names } from "../../../model/core.js";
import { keyPath } from "../../../model/object/field-path.js";
import { setOwn } from "../../../model/object/json.js";
import type { Draft } from "../../resources/resource-type.js";
import { base64Length } from "../typed/base64.js";
import { nameColumn } from "../../output-formats/columns.js";
import { builtInAgeColumn, column, countIn } from "./columns.js";
import { validateUnchangedData } from "./config-map.js";
import { largestData, validateDataKey } from "./data-keys.js";
import type { KindRules } from "./kind-rules.js";
import { keyPairFault } from "./key-pair.js";

export const secret: KindRules = {
  columns: [
    nameColumn,
    column("Type", "Type of the secret.", typeOf),
    column("Data", "Number of entries.", countIn("data")),
    builtInAgeColumn,
  ],
  selectableFields: new Map([["type", typeOf]]),
  strategy: {
    validateName: names.nameIsDns1123Subdomain,
    generation: false,
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: false,
    prepareCreate: takeStringData,
    prepareUpdate: takeStringData,
    validate,
    validateUpdate: (object, old) => [
      ...validateSameType(object, old),
      ...validateUnchangedData(object, old, "data"),
      ...validate(object),
    ],
    warnings,
  },
};

type Base64 = Readonly<Record<string, string>>;

function typeOf(object: KubeObject): string {
  return ((object as unknown as Draft)["type"] as string | undefined) ?? "";
}

function dataOf(object: Draft): Base64 {
  return (object["data"] as Base64 | undefined) ?? {};
}

/** Moves stringData into data, replacing existing keys. */
function takeStringData(object: Draft): void {
  const texts = object["stringData"] as Readonly<Record<string, string>> | undefined;
  if (texts === undefined) return;
  delete object["stringData"];
  const data: Record<string, string> = { ...dataOf(object) };
  for (const [key, text] of Object.entries(texts)) setOwn(data, key, Buffer.from(text).toString("base64"));
  object["data"] = data;
}

function validateSameType(object: Draft, old: KubeObject): fieldErrors.FieldError[] {
  const type = (object["type"] as string | undefined) ?? "";
  return type === typeOf(old) ? [] : [fieldErrors.invalid("type", type, "field is immutable")];
}

function validate(object: Draft): fieldErrors.FieldError[] {
  const data = dataOf(object);
  const errors: fieldErrors.FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    for (const fault of validateDataKey(key))
      errors.push(fieldErrors.invalid(keyPath("data", key), key, fault));
    size += base64Length(value);
  }
  if (size > largestData) errors.push(fieldErrors.tooLong("data", largestData));
  return [...errors, ...validateOfType(object, data)];
}

const accountName = "kubernetes.io/service-account.name";

/** Required contents of secrets of well-known types. */
function validateOfType(object: Draft, data: Base64): fieldErrors.FieldError[] {
  const missing = (...keys: readonly string[]): fieldErrors.FieldError[] =>
    keys.filter((key) => !Object.hasOwn(data, key)).map((key) => fieldErrors.required(keyPath("data", key)));
  switch (object["type"]) {
    case "kubernetes.io/service-account-token": {
      const annotations = object.metadata["annotations"] as Readonly<Record<string, string>> | undefined;
      return annotations?.[accountName]
        ? []
        : [fieldErrors.required(keyPath("metadata.annotations", accountName))];
    }
    case "kubernetes.io/dockercfg":
      return [...missing(".dockercfg"), ...validateJson(data, ".dockercfg")];
    case "kubernetes.io/dockerconfigjson":
      return [...missing(".dockerconfigjson"), ...validateJson(data, ".dockerconfigjson")];
    case "kubernetes.io/basic-auth": {
      const errors = missing("username", "password");
      return errors.length === 2 ? errors : [];
    }
    case "kubernetes.io/ssh-auth":
      return data["ssh-privatekey"] ? [] : [fieldErrors.required(keyPath("data", "ssh-privatekey"))];
    case "kubernetes.io/tls":
      return missing("tls.crt", "tls.key");
    default:
      return [];
  }
}

function validateJson(data: Base64, key: string): fieldErrors.FieldError[] {
  if (!Object.hasOwn(data, key)) return [];
  const fault = jsonFault(decode(data, key).toString());
  return fault === undefined
    ? []
    : [fieldErrors.invalid(keyPath("data", key), "<secret contents redacted>", fault)];
}

/** Reason why a text is not a JSON object, worded like Go's errors. */
function jsonFault(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const first = text.trimStart().charAt(0);
    if (first === "") return "unexpected end of JSON input";
    if (!/[[{"\d\-tfn]/.test(first)) return `invalid character '${first}' looking for beginning of value`;
    return "it is not valid JSON";
  }
  if (value === null) return undefined;
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return type === "object"
    ? undefined
    : `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
}

function warnings(object: Draft): string[] {
  if (object["type"] !== "kubernetes.io/tls") return [];
  const data = dataOf(object);
  const fault = keyPairFault(decode(data, "tls.crt"), decode(data, "tls.key"));
  return fault === undefined ? [] : [fault];
}

function decode(data: Base64, key: string): Buffer {
  return Buffer.from(Object.hasOwn(data, key) ? (data[key] ?? "") : "", "base64");
}
