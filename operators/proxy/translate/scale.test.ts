import { expect, test } from "vitest";
import { manyRoutes, route } from "./fixtures.js";
import { translate } from "./translate.js";

/** The time is shown for people; a busy machine would make a limit fail. */
function timed<T>(name: string, run: () => T): T {
  const start = performance.now();
  const result = run();
  console.log(`${name}: ${(performance.now() - start).toFixed(0)} ms`);
  return result;
}

test("10,000 routes are translated, and again after one has changed", () => {
  const first = manyRoutes(10_000);
  const before = timed("translate 10,000 routes", () => translate(first));
  expect(before.configuration.ports[0]?.servers).toHaveLength(10_001);
  expect(before.configuration.upstreams).toHaveLength(100);

  const changed = route({ name: "route-5000", age: 5000, hostnames: ["changed.example.com"] });
  const routes = first.routes.map((other) => (other.metadata.name === "route-5000" ? changed : other));
  for (let round = 0; round < 3; round++) timed("translate again", () => translate({ ...first, routes }));
  const after = translate({ ...first, routes });
  const hosts = after.configuration.ports[0]?.servers.map(({ hostname }) => hostname);
  expect(hosts).toContain("changed.example.com");
  expect(hosts).not.toContain("host-5000.example.com");
});
