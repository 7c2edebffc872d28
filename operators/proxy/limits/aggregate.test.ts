import fc from "fast-check";
import { expect, test } from "vitest";
import { others, RefusalWindow, type Refusal } from "./aggregate.js";

function countsOf(refusals: readonly Refusal[], maxClients = 100) {
  const window = new RefusalWindow(maxClients);
  for (const refusal of refusals) window.add(refusal);
  return [...window.zones()];
}

test("requests are counted by zone and client", () => {
  const counts = countsOf([
    { zone: "a", client: "10.0.0.1", time: 20 },
    { zone: "a", client: "10.0.0.2", time: 30 },
    { zone: "a", client: "10.0.0.1", time: 10 },
    { zone: "b", client: "10.0.0.1", time: 40 },
  ]);
  expect(counts).toEqual([
    {
      zone: "a",
      clients: [
        { client: "10.0.0.1", refused: 2, since: 10, until: 20 },
        { client: "10.0.0.2", refused: 1, since: 30, until: 30 },
      ],
      total: { client: others, refused: 3, since: 10, until: 30 },
    },
    {
      zone: "b",
      clients: [{ client: "10.0.0.1", refused: 1, since: 40, until: 40 }],
      total: { client: others, refused: 1, since: 40, until: 40 },
    },
  ]);
  expect(new RefusalWindow(1).isEmpty).toBe(true);
});

test("no request is lost, however many clients there are, and their number is limited", () => {
  const refusal = fc.record({
    zone: fc.constantFrom("a", "b"),
    client: fc.nat(30).map((number) => `10.0.0.${number}`),
    time: fc.nat(1000),
  });
  fc.assert(
    fc.property(fc.array(refusal), fc.integer({ min: 1, max: 5 }), (refusals, maxClients) => {
      const counts = countsOf(refusals, maxClients);
      expect(counts.reduce((sum, { total }) => sum + total.refused, 0)).toBe(refusals.length);
      for (const { zone, clients } of counts) {
        expect(clients.length).toBeLessThanOrEqual(maxClients + 1);
        for (const { client, refused } of clients) {
          if (client === others) continue;
          const expected = refusals.filter((each) => each.zone === zone && each.client === client);
          expect(refused).toBe(expected.length);
        }
      }
    }),
  );
});
