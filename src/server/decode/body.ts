import { failures, type Json, type JsonObject } from "../../model/core.js";
import { isJsonObject } from "../../model/object/json.js";
import { quote } from "../../model/object/quote.js";
import type { Body, FieldValidation, PatchBody, PatchType } from "./decoded-body.js";
import type { Capabilities } from "../resources/resource-type.js";
import { asBadRequest } from "./bad-request.js";
import { DecodeError } from "./decode-error.js";
import { defaultDecodeLimits, type DecodeLimits, type NextDecodingStep } from "./decode-limits.js";
import { scanThenParse, decodeBodyText } from "./json.js";
import { mediaTypeOf } from "./media-type.js";
import { parseYaml, type YamlOptions } from "./yaml.js";

/** Decodes objects of built-in kinds from Kubernetes' protobuf format. Every error it throws becomes a 400. */
export type ProtobufDecoder = (bytes: Uint8Array) => {
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: JsonObject;
};

export interface BodyOptions {
  /** Expected kind, for messages, and the encodings it accepts. */
  readonly type: {
    readonly kind: string;
    readonly capabilities: Pick<Capabilities, "protobuf" | "strategicMerge">;
  };
  /** Default: Warn. */
  readonly fieldValidation?: FieldValidation | undefined;
  readonly protobuf?: ProtobufDecoder | undefined;
  readonly limits?: Partial<DecodeLimits> | undefined;
  /** Awaited between the steps of decoding JSON. */
  readonly nextStep?: NextDecodingStep | undefined;
}

const json = "application/json";
const yaml = "application/yaml";
const protobuf = "application/vnd.kubernetes.protobuf";

/**
 * Decodes the body of a create, update or delete, which must be an object. The default content type is JSON, as in
 * Kubernetes.
 *
 * @throws {ApiError} 400, 413 or 415.
 */
export async function decodeBody(
  bytes: Uint8Array,
  contentType: string | undefined,
  options: BodyOptions,
): Promise<Body> {
  const mediaType = contentType ? mediaTypeOf(contentType) : json;
  const { type, protobuf: decodeProtobuf, limits, fieldValidation = "Warn" } = options;
  try {
    if (mediaType === json) {
      const parse = scanThenParse(decodeBodyText(bytes), {
        limits,
        duplicates: fieldValidation !== "Ignore",
      });
      await options.nextStep?.();
      return expectObject(parse());
    }
    if (mediaType === yaml)
      return expectObject(await parseYaml(bytes, { limits, fieldValidation, nextStep: options.nextStep }));
    if (mediaType === protobuf && type.capabilities.protobuf && decodeProtobuf) {
      const { apiVersion, kind, object } = decodeProtobuf(bytes);
      return { object: { apiVersion, kind, ...object } };
    }
  } catch (error) {
    throw asBadRequest(error, (problem, syntax) => {
      const prefix = syntax && mediaType === json ? "couldn't get version/kind; json parse error: " : "";
      return `the object provided is unrecognized (must be of type ${type.kind}): ${prefix}${problem} (${summary(bytes)})`;
    });
  }
  throw failures.unsupportedMediaType([
    json,
    yaml,
    ...(type.capabilities.protobuf && decodeProtobuf ? [protobuf] : []),
  ]);
}

const patchTypes = new Map<string, PatchType>([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
  ["application/apply-patch+yaml", "apply"],
]);

/**
 * Decodes a patch. The content type is required, since it selects the patch type. Strategic merge patches are accepted for
 * built-in kinds only. A JSON patch may have twice as many fields as an object: each of the 10,000 operations that Kubernetes allows
 * has three or four.
 *
 * @throws {ApiError} 400, 413 or 415.
 */
export async function decodePatch(
  bytes: Uint8Array,
  contentType: string | undefined,
  { type: { capabilities }, fieldValidation = "Warn", limits, nextStep }: BodyOptions,
): Promise<PatchBody> {
  const type = patchTypes.get(mediaTypeOf(contentType ?? "") ?? "");
  if (type === undefined || (type === "strategic" && !capabilities.strategicMerge)) {
    const accepted = [...patchTypes].filter(
      ([, kind]) => capabilities.strategicMerge || kind !== "strategic",
    );
    throw failures.unsupportedMediaType(accepted.map(([mediaType]) => mediaType));
  }
  if (type === "apply") {
    return { type, body: await decodeApply(bytes, { fieldValidation, limits, nextStep }) };
  }
  try {
    const { fields = defaultDecodeLimits.fields } = limits ?? {};
    const parse = scanThenParse(decodeBodyText(bytes), {
      limits: { ...limits, fields: type === "json" ? 2 * fields : fields },
      duplicates: fieldValidation !== "Ignore",
    });
    await nextStep?.();
    const body = parse();
    if (type === "json") return { type, body: fieldValidation === "Ignore" ? body : withUnknownFields(body) };
    return { type, body: expectObject(body) };
  } catch (error) {
    const prefix = type === "strategic" ? "" : "error decoding patch: ";
    throw asBadRequest(error, (problem) => `${prefix}${problem}`);
  }
}

async function decodeApply(
  bytes: Uint8Array,
  options: YamlOptions & { readonly fieldValidation: FieldValidation },
): Promise<Body> {
  let body: Body;
  try {
    body = expectObject(await parseYaml(bytes, options));
  } catch (error) {
    throw asBadRequest(error, (problem) => `error decoding YAML: error converting YAML to JSON: ${problem}`);
  }
  if (options.fieldValidation === "Strict" && body.duplicates) {
    const problems = body.duplicates.join("\n");
    throw failures.badRequest(`error strict decoding YAML: error converting YAML to JSON: ${problems}`);
  }
  return body;
}

const operationFields = new Set(["op", "path", "from", "value"]);

/** Adds the unknown fields of JSON patch operations to the duplicates, in the form of strict decoding. */
function withUnknownFields({ object, duplicates = [] }: Body): Body {
  const problems = duplicates.map((problem) => `json patch ${problem}`);
  for (const [index, operation] of Array.isArray(object) ? (object as readonly Json[]).entries() : []) {
    if (problems.length >= 100) break;
    if (!isJsonObject(operation)) continue;
    for (const field of Object.keys(operation)) {
      if (!operationFields.has(field))
        problems.push(`json patch unknown field ${quote(`[${index}].${field}`)}`);
    }
  }
  return problems.length > 0 ? { object, duplicates: problems } : { object };
}

function expectObject(body: Body): Body {
  if (isJsonObject(body.object)) return body;
  throw new DecodeError("value", `json: cannot unmarshal ${typeNameOf(body.object)} into an object`);
}

function typeNameOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** First bytes of the body as Kubernetes quotes them: text if it looks like JSON, otherwise hexadecimal. */
function summary(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const start = Buffer.from(bytes.subarray(0, 30));
  const excerpt = start[0] === 0x7b ? start.toString() : start.toString("hex");
  return bytes.length > 30 ? `${excerpt} ...` : excerpt;
}
