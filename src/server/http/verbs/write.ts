import { decodeBody, decodePatch } from "../../decode/body.js";
import { decodeProtobuf } from "../../kinds/protobuf/decode.js";
import type { Body, WriteOptions } from "../../registry/requests.js";
import { apiVersionOf } from "../../resources/resource-type.js";
import { formOf } from "../answer/form.js";
import { sendObject } from "../answer/objects.js";
import type { Context } from "../context.js";
import type { Exchange } from "../exchange.js";
import { objectOffer } from "../negotiate.js";
import { managerFromUserAgent } from "../request/field-manager.js";
import { forceOf, writeOptions } from "../request/options.js";
import { readBody } from "../request/read-body.js";
import type { Route } from "./route.js";

export async function create(context: Context, exchange: Exchange, route: Route): Promise<void> {
  const { type, scope } = route;
  const form = formOf(exchange, objectOffer);
  const options = writing(exchange, route, "CreateOptions");
  const body = await objectBody(context, exchange, route, options);
  const answer = await context.registry.create(type, scope, body, options);
  return sendObject(exchange, 201, { type, clock: context.clock }, answer, form);
}

export async function update(context: Context, exchange: Exchange, route: Route): Promise<void> {
  const { type, scope, name = "", subresource } = route;
  const form = formOf(exchange, objectOffer);
  const options = writing(exchange, route, "UpdateOptions");
  const body = await objectBody(context, exchange, route, options);
  const { answer, created } = await context.registry.update(type, { ...scope, name }, body, options);
  return sendObject(exchange, created ? 201 : 200, { type, subresource, clock: context.clock }, answer, form);
}

export async function patch(context: Context, exchange: Exchange, route: Route): Promise<void> {
  const { type, scope, name = "", subresource } = route;
  const form = formOf(exchange, objectOffer);
  const options = writing(exchange, route, "PatchOptions");
  const bytes = await readBody(exchange, context.limits.bodyBytes);
  const { fieldValidation } = options;
  const decoded = await decodePatch(bytes, exchange.header("content-type"), { type, fieldValidation });
  const force = forceOf(exchange.query, decoded.type);
  const { answer, created } = await context.registry.patch(
    type,
    { ...scope, name },
    { ...decoded, force },
    options,
  );
  return sendObject(exchange, created ? 201 : 200, { type, subresource, clock: context.clock }, answer, form);
}

/** A Scale is a built-in kind, whatever it scales. */
const scaleType = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  plural: "scale",
  capabilities: { protobuf: true, strategicMerge: false },
};

/** What was sent. */
async function objectBody(
  { limits }: Context,
  exchange: Exchange,
  { type, subresource }: Route,
  { fieldValidation }: WriteOptions,
): Promise<Body> {
  const bytes = await readBody(exchange, limits.bodyBytes);
  const expected = subresource === "scale" ? { ...scaleType, namespaced: type.namespaced } : type;
  const body = await decodeBody(bytes, exchange.header("content-type"), {
    type: expected,
    fieldValidation,
    protobuf: (encoded) =>
      decodeProtobuf(encoded, { apiVersion: apiVersionOf(expected), kind: expected.kind }),
  });
  return { ...body, fresh: true };
}

function writing(
  exchange: Exchange,
  { subresource }: Route,
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
): WriteOptions {
  const manager = managerFromUserAgent(exchange.header("user-agent"));
  return {
    ...writeOptions(exchange.query, kind, manager),
    subresource,
    warn: (text) => exchange.warnings.add(text),
  };
}
