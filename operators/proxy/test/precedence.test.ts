import fc from "fast-check";
import { expect, test } from "vitest";
import { describeWith } from "../../../test/components/index.js";
import { configuration, http } from "../nginx/fixtures/configurations.js";
import { send } from "../nginx/fixtures/request.js";
import type { RoutingRule } from "../translate/configuration.js";
import { anyRequest, randomServers, type Request } from "./fixtures/random-rules.js";
import { renderedNginx } from "./fixtures/rendered-nginx.js";

/** Status of the first rule that applies: the definition that nginx is compared with. */
function expected(rules: readonly RoutingRule[], request: Request): number {
  const first = rules.findIndex(({ match }) => {
    const { type, value: text } = match.path;
    const prefix = text.replace(/\/+$/, "");
    const isPath = {
      Exact: () => request.path === text,
      Prefix: () => request.path === prefix || request.path.startsWith(`${prefix}/`),
      RegularExpression: () => new RegExp(`^(?:${text})$`).test(request.path),
    }[type]();
    return (
      isPath &&
      (match.method ?? request.method) === request.method &&
      match.headers.every((one) => request.headers[one.name] === one.value) &&
      match.queryParams.every((one) => request.query[one.name] === one.value)
    );
  });
  return first === -1 ? 404 : 450 + first;
}

const compared = renderedNginx.with({
  configuration: (ports) => configuration([http(ports.http, randomServers), http(ports.tls, [])], []),
});

describeWith("rules and their order", compared, (get) => {
  test("nginx chooses the first rule that applies", async () => {
    for (const { hostname = "", rules } of randomServers) {
      for (const request of fc.sample(anyRequest, { numRuns: 20, seed: rules.length })) {
        const query = new URLSearchParams(request.query).toString();
        const { status } = await send(query === "" ? request.path : `${request.path}?${query}`, {
          port: get().ports.http,
          host: hostname,
          method: request.method,
          headers: { ...request.headers, "content-length": "0" },
        });
        const shown = JSON.stringify({ request, rules: rules.map(({ match }) => match) });
        expect([status, status === expected(rules, request) ? "" : shown]).toEqual([
          expected(rules, request),
          "",
        ]);
      }
    }
  });
});
