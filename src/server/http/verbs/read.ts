import { failures } from "../../../model/core.js";
import { formOf } from "../answer/form.js";
import { sendList, sendObject } from "../answer/objects.js";
import type { Context } from "../context.js";
import type { Exchange } from "../exchange.js";
import { listOffer, objectOffer } from "../negotiate.js";
import { listOptions } from "../request/options.js";
import { booleanOf, textOf } from "../request/query.js";
import type { Route } from "./route.js";

export function get(context: Context, exchange: Exchange, route: Route): Promise<void> {
  const { type, scope, name = "", subresource } = route;
  const form = formOf(exchange, objectOffer);
  const options = exchange.rawQuery === "" ? { subresource } : { subresource, ...getOptions(exchange) };
  const answering = context.registry.get(type, { namespace: scope.namespace, name }, options);
  return answering.then((answer) =>
    sendObject(exchange, 200, { type, subresource, clock: context.clock }, answer, form),
  );
}

function getOptions({ query }: Exchange): { resourceVersion: string | undefined } {
  if (booleanOf(query, "export")) {
    throw failures.badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  return { resourceVersion: textOf(query, "resourceVersion") || undefined };
}

export function list(context: Context, exchange: Exchange, { type, scope }: Route): Promise<void> {
  const form = formOf(exchange, listOffer);
  const listing = context.registry.list(type, scope, listOptions(exchange.query));
  return listing.then((answer) => sendList(exchange, type, answer, form, context.clock));
}
