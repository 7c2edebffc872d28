import { isDeepStrictEqual } from "node:util";
import { controller, isNotFound, strategies, type Controller } from "fettle";
import type { ResultControllerOptions } from "./gateways.js";
import { HTTPRoute, type HTTPRouteObject } from "./kinds/gateway-api.js";
import { passOn } from "./preview.js";
import { routeParents } from "./translate/status.js";

/** Writes the status of routes. The nginx behind them is configured by the controller of its class. */
export function httpRoutes({ results, changes, preview }: ResultControllerOptions): Controller {
  return controller({
    for: HTTPRoute,
    name: "httproutes.proxy.fettle.dev",
    triggers: [changes],
    strategy: strategies.immediate,
    concurrency: 16,
    async reconcile(route, { client, step, now, signal }) {
      const { uid = "", generation } = route.metadata;
      const found = results.route(uid);
      // In a run, the controller of the class has seen the object already, or is about to.
      await step(
        passOn,
        {
          unless: () =>
            results.classes.size === 0 || found.some(({ result }) => result.generation === generation),
          detail: () => preview([route]),
        },
        () => {},
      );
      // Before the first translation nothing is known, so that the last status stays.
      if (!results.isKnown) return;
      const withParents = (present: HTTPRouteObject["status"]) => ({
        ...present,
        parents: routeParents(present?.parents, found, now()),
      });
      if (isDeepStrictEqual(withParents(route.status).parents, route.status?.parents ?? [])) return;
      // Other controllers write to the same list, so that report() could undo what they have written in the meantime.
      const { name, namespace } = route;
      const change = (live: HTTPRouteObject): HTTPRouteObject =>
        live.metadata.uid === uid ? { ...live, status: withParents(live.status) } : live;
      try {
        await client.modify(HTTPRoute, { name, namespace }, change, { subresource: "status", signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    },
  });
}
