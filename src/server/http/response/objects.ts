import { ApiError, type Clock, type Json } from "../../../model/core.js";
import { failureStatus, type ApiStatus } from "../../../model/errors/status.js";
import type { ListResponse } from "../../registry/requests.js";
import { apiVersionOf, type ResourceType } from "../../resources/resource-type.js";
import type { ObjectResponse } from "../../resources/stored-object.js";
import { scaleColumns } from "../../output-formats/columns.js";
import {
  partialObjectMetadata,
  partialObjectMetadataList,
  renderListMeta,
  type MetaVersion,
} from "../../output-formats/partial-metadata.js";
import { parseIncludeObject, tableOf } from "../../output-formats/table.js";
import {
  metadataFormat,
  plainFormat,
  tableFormat,
  type ListFormat,
} from "../../output-formats/list-format.js";
import type { Exchange } from "../exchange.js";
import type { Negotiated } from "../negotiate.js";
import { firstValue } from "../request/query.js";
import { isPretty } from "./is-pretty.js";
import { pause } from "../../event-loop/turns.js";
import { listBody } from "./list-body.js";
import { listChunks } from "./list-stream.js";
import { send, sendStored, sendChunks, sendStatus, sendStream } from "./send.js";
import { toYaml } from "./yaml.js";

const json = "application/json";

/** Bytes of objects that are converted at once; above it, JSON is made in pieces. */
const maxConverted = 256 * 1024;

/** Kind of the object in a response, for the formats that depend on it. */
interface Presentation {
  readonly type: ResourceType;
  readonly subresource?: string | undefined;
  readonly clock: Clock;
}

/** Sends an object in the negotiated format. */
export function sendObject(
  exchange: Exchange,
  code: number,
  presentation: Presentation,
  stored: ObjectResponse,
  form: Negotiated,
): void | Promise<void> {
  const plain = form.mediaType === json && !isPretty(exchange, form);
  if (isStored(form, plain)) return sendStored(exchange, code, json, stored);
  if (stored.size <= maxConverted) return sendConvertedObject(exchange, code, presentation, stored, form);
  if (form.mediaType !== json) throw tooLargeForYaml();
  return inSteps(exchange, stored, () => sendConvertedObject(exchange, code, presentation, stored, form));
}

/** Parses a large object in a step of its own, before what needs it. */
async function inSteps(
  { user }: Exchange,
  stored: ObjectResponse,
  last: () => void | Promise<void>,
): Promise<void> {
  await pause(user?.name ?? "");
  void stored.object;
  await pause(user?.name ?? "");
  await last();
}

function sendConvertedObject(
  exchange: Exchange,
  code: number,
  { type, subresource, clock }: Presentation,
  stored: ObjectResponse,
  form: Negotiated,
): void | Promise<void> {
  const plain = form.mediaType === json && !isPretty(exchange, form);
  if (form.as === undefined) {
    return sendValue(exchange, code, stored.object, form);
  }
  const version = form.as.version as MetaVersion;
  let text: string;
  if (form.as.kind === "Table") {
    const includeObject = parseIncludeObject(firstValue(exchange.query, "includeObject"));
    const columns = subresource === "scale" ? { columns: scaleColumns } : type;
    text = tableOf(columns, [stored], { includeObject, version, now: clock.now() });
  } else text = JSON.stringify(partialObjectMetadata(stored.object, version));
  return plain ? send(exchange, code, json, `${text}\n`) : sendConverted(exchange, code, text, form);
}

/** Sends a list in the negotiated format. Plain JSON is sent without parsing the objects. */
export function sendList(
  exchange: Exchange,
  type: ResourceType,
  list: ListResponse,
  form: Negotiated,
  clock: Clock,
): void | Promise<void> {
  const pretty = isPretty(exchange, form);
  const plain = form.mediaType === json && !pretty;
  if (list.rest !== undefined || (!isStored(form, plain) && sizeOf(list) > maxConverted)) {
    if (form.mediaType !== json) return refuseStream(list);
    const chunks = listChunks(list, formatOf(exchange, type, form, clock), {
      user: exchange.user?.name ?? "",
      pretty,
    });
    return sendStream(exchange, 200, json, chunks);
  }
  if (form.as === undefined) {
    if (plain) {
      const { size, chunks } = listBody(type, list);
      return sendChunks(exchange, 200, json, size, chunks);
    }
    const value = {
      kind: type.listKind,
      apiVersion: apiVersionOf(type),
      metadata: renderListMeta(list),
      items: list.items.map(({ object }) => object),
    };
    return sendValue(exchange, 200, value, form);
  }
  const version = form.as.version as MetaVersion;
  let text: string;
  if (form.as.kind === "Table") {
    const includeObject = parseIncludeObject(firstValue(exchange.query, "includeObject"));
    text = tableOf(type, list.items, { includeObject, version, now: clock.now(), listMeta: list });
  } else text = partialObjectMetadataList(list.items, list, version);
  return plain ? send(exchange, 200, json, `${text}\n`) : sendConverted(exchange, 200, text, form);
}

/** Stored bytes are sent as they are; other forms are made from parsed objects. */
function isStored(form: Negotiated, plain: boolean): boolean {
  return plain && form.as === undefined;
}

function sizeOf({ items }: ListResponse): number {
  let size = 0;
  for (const item of items) size += item.size;
  return size;
}

function formatOf(exchange: Exchange, type: ResourceType, { as }: Negotiated, clock: Clock): ListFormat {
  if (as === undefined) return plainFormat(type);
  const version = as.version as MetaVersion;
  if (as.kind !== "Table") return metadataFormat(version);
  const includeObject = parseIncludeObject(firstValue(exchange.query, "includeObject"));
  return tableFormat(type, { includeObject, version, now: clock.now() });
}

/** YAML cannot be made in pieces, and making it of so much at once would keep others waiting. */
async function refuseStream({ rest }: ListResponse): Promise<never> {
  await rest?.return({});
  throw tooLargeForYaml();
}

function tooLargeForYaml(): ApiError {
  const message = `the response is too large for application/yaml: request application/json, or fewer objects with limit`;
  return new ApiError(failureStatus("NotAcceptable", message));
}

/** Sends a Status of a successful request. */
export function sendSuccess(
  exchange: Exchange,
  code: number,
  status: ApiStatus,
  form: Negotiated,
): void | Promise<void> {
  if (form.mediaType === json) return sendStatus(exchange, code, status, isPretty(exchange, form));
  return sendValue(exchange, code, status, form);
}

/** Sends JSON text indented or as YAML. */
function sendConverted(
  exchange: Exchange,
  code: number,
  text: string,
  form: Negotiated,
): void | Promise<void> {
  return sendValue(exchange, code, JSON.parse(text) as Json, form);
}

function sendValue(exchange: Exchange, code: number, value: unknown, form: Negotiated): void | Promise<void> {
  if (form.mediaType === json) return send(exchange, code, json, JSON.stringify(value, undefined, 2));
  return toYaml(value).then((text) => send(exchange, code, form.mediaType, text));
}
