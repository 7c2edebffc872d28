import { fakeClient } from "fettle/testing";
import { expect, test } from "vitest";
import { Process, ProcessSet } from "./kinds.js";

test("defaults of nested settings are filled in", async () => {
  const client = await fakeClient({ kinds: [Process, ProcessSet] });
  const web = await client.create(Process, { metadata: { name: "web" }, spec: { command: ["true"] } });
  expect(web.spec).toMatchObject({
    args: [],
    restart: { policy: "Always", backoff: { initial: "1s", max: "5m" }, successExitCodes: [0] },
    stop: { signal: "SIGTERM", grace: "10s" },
    logs: { maxFiles: 5 },
  });
  await client[Symbol.asyncDispose]();
});
