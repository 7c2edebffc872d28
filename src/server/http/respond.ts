import { PageNotFound } from "../request/resolve.js";
import type { DeleteResponse } from "../registry/requests.js";
import type { ResourceType } from "../resources/resource-type.js";
import type { ObjectResponse } from "../resources/stored-object.js";
import { sendList, sendObject, sendSuccess } from "./response/objects.js";
import type { HttpContext } from "./context.js";
import type { Exchange } from "./exchange.js";
import type { Negotiated } from "./negotiate.js";
import { HttpApiRequest, type RequestLine } from "./request/http-api-request.js";

/** Passes a request other than a watch to the pipeline, and sends the response. */
export async function respond(context: HttpContext, exchange: Exchange, line: RequestLine): Promise<void> {
  const { pipeline, clock } = context;
  const { verb } = line;
  const send = (code: number, object: ObjectResponse, form: Negotiated): void | Promise<void> => {
    const presentation = { type: typeOf(line), subresource: line.path.subresource, clock };
    return sendObject(exchange, code, presentation, object, form);
  };
  switch (verb) {
    case "list": {
      const request = new HttpApiRequest(context, exchange, { ...line, verb });
      const list = await pipeline.handle(request);
      return sendList(exchange, typeOf(line), list, request.form, clock);
    }
    case "deletecollection": {
      const request = new HttpApiRequest(context, exchange, { ...line, verb });
      const deleted = await pipeline.handle(request);
      if (deleted.isPartial) return sendCollectionDeleted(exchange, typeOf(line), request.form);
      return sendList(exchange, typeOf(line), deleted, request.form, clock);
    }
    case "create":
    case "update":
    case "patch": {
      const request = new HttpApiRequest(context, exchange, { ...line, verb });
      const { object, created } = await pipeline.handle(request);
      return send(created ? 201 : 200, object, request.form);
    }
    case "delete": {
      const request = new HttpApiRequest(context, exchange, { ...line, verb });
      const { object, gone, accepted } = await pipeline.handle(request);
      const isObject = !gone || typeOf(line).strategy.returnsDeleted === true;
      if (isObject) return send(accepted ? 202 : 200, object, request.form);
      return sendDeleted(exchange, typeOf(line), object, request.form);
    }
    default: {
      // Methods without a verb get here too; the pipeline rejects them, as no kind has them.
      const request = new HttpApiRequest(context, exchange, { ...line, verb: verb as "get" });
      const object = await pipeline.handle(request);
      return send(200, object, request.form);
    }
  }
}

/** Kind of a request that the pipeline has accepted. */
function typeOf({ type }: RequestLine): ResourceType {
  if (type === undefined) throw new PageNotFound();
  return type;
}

/** Status for a collection whose objects are too large to be all returned. */
function sendCollectionDeleted(
  exchange: Exchange,
  { group, plural }: ResourceType,
  form: Negotiated,
): void | Promise<void> {
  const details = { ...(group !== "" && { group }), kind: plural };
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details } as const;
  return sendSuccess(exchange, 200, status, form);
}

function sendDeleted(
  exchange: Exchange,
  type: ResourceType,
  { object }: DeleteResponse["object"],
  form: Negotiated,
): void | Promise<void> {
  const { name, uid } = object.metadata;
  return sendSuccess(
    exchange,
    200,
    {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: {
        name: name ?? "",
        ...(type.group !== "" && { group: type.group }),
        kind: type.plural,
        ...(uid && { uid }),
      },
    },
    form,
  );
}
