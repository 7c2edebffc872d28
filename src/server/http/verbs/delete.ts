import { decodeBody } from "../../decode/body.js";
import { decodeProtobuf } from "../../kinds/protobuf/decode.js";
import { formOf } from "../answer/form.js";
import { sendList, sendObject, sendSuccess } from "../answer/objects.js";
import type { Context } from "../context.js";
import type { Exchange } from "../exchange.js";
import { listOffer, objectOffer } from "../negotiate.js";
import { deleteOptionsOfBody, deleteOptionsOfQuery } from "../request/delete-options.js";
import { listOptions } from "../request/options.js";
import { readBody } from "../request/read-body.js";
import type { DeleteOptions } from "../../registry/requests.js";
import type { Route } from "./route.js";

export async function remove(context: Context, exchange: Exchange, route: Route): Promise<void> {
  const { type, scope, name = "" } = route;
  const form = formOf(exchange, objectOffer);
  const options = await deleteOptions(context, exchange);
  const { answer, gone } = await context.registry.delete(type, { ...scope, name }, options);
  if (!gone || type.strategy.returnsDeleted === true) {
    // Whoever asked for the dependents to go first is told that it was only begun.
    const code = !gone && options.orphanDependents === false ? 202 : 200;
    return sendObject(exchange, code, { type, clock: context.clock }, answer, form);
  }
  const { uid } = answer.object.metadata;
  return sendSuccess(
    exchange,
    200,
    {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: {
        name,
        ...(type.group !== "" && { group: type.group }),
        kind: type.plural,
        ...(uid && { uid }),
      },
    },
    form,
  );
}

export async function removeCollection(
  context: Context,
  exchange: Exchange,
  { type, scope }: Route,
): Promise<void> {
  const form = formOf(exchange, listOffer);
  const selected = listOptions(exchange.query);
  const options = await deleteOptions(context, exchange);
  const removed = await context.registry.deleteCollection(type, scope, selected, options);
  return sendList(exchange, type, removed, form, context.clock);
}

async function deleteOptions({ limits }: Context, exchange: Exchange): Promise<DeleteOptions> {
  const bytes = await readBody(exchange, limits.bodyBytes);
  if (bytes.length === 0) return deleteOptionsOfQuery(exchange.query);
  const { object } = await decodeBody(bytes, exchange.header("content-type"), {
    type: { kind: "DeleteOptions", capabilities: { protobuf: true, strategicMerge: false } },
    fieldValidation: "Ignore",
    protobuf: (encoded) => decodeProtobuf(encoded, { apiVersion: "v1", kind: "DeleteOptions" }),
  });
  return deleteOptionsOfBody(object);
}
