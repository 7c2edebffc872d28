import { expect, test } from "vitest";
import type { Client } from "../../client/client.js";
import { failures, systemRandom, VirtualClock } from "../../model/core.js";
import { silent, type Log } from "../log/log.js";
import { Recorders } from "./recorders.js";

test("an event that could not be written is told of with its object and run", async () => {
  const lines: object[] = [];
  const log: Log = { ...silent, warn: (fields, text) => void lines.push({ ...fields, text }) };
  const err = failures.forbidden({ group: "", resource: "events" }, "e", "no");
  const client = { create: () => Promise.reject(err) } as unknown as Client;
  const recorders = new Recorders({
    clientFor: () => client,
    clock: new VirtualClock(),
    random: systemRandom,
    log,
  });
  const site = { apiVersion: "demo.dev/v1", kind: "Site", metadata: { name: "hello", namespace: "n" } };
  recorders.get("sites").event(site, { reason: "Published", message: "3 pages", run: "4f1c2a9e" });
  recorders.get("sites").event(site, { reason: "Moved", message: "elsewhere" });
  await recorders.close();
  const told = { controller: "sites", object: "Site n/hello", err, text: "an event could not be written" };
  expect(lines).toEqual([
    { ...told, run: "4f1c2a9e", reason: "Published" },
    { ...told, reason: "Moved" },
  ]);
});
