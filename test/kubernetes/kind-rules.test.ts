import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../server/test-server.js";
import { readRuleCases, ruleFiles, runCase } from "./rule-cases.js";
import { serviceRanges } from "./comparable.js";
import { Side, type Access } from "./side.js";
import { parseStep } from "./step.js";

/*
 * Defaults, validation, immutable fields, status and generation of built-in kinds, held against what kube-apiserver 1.34
 * responded to the same requests. comparison.test.ts makes sure that it still does.
 */
describe("built-in kinds follow the rules of Kubernetes", () => {
  let server: TestServer;
  let access: Access;
  let namespaces = 0;

  beforeAll(async () => {
    server = await startTestServer({ services: serviceRanges });
    const ca = readFileSync(join(server.data, "tls", "ca.crt"), "utf8");
    access = { url: server.url, tokens: { admin: server.token }, agent: new Agent({ connect: { ca } }) };
  });

  afterAll(async () => {
    await access.agent.destroy();
    await server.close();
  });

  for (const file of ruleFiles()) {
    test.each(readRuleCases(file))("$title", async (each) => {
      const namespace = `n${++namespaces}`;
      const side = new Side(access, namespace);
      await side.run(parseStep(`POST namespaces {"metadata":{"name":"${namespace}"}}`));
      const responses = await runCase(each, side);
      for (const [index, { step, recorded }] of each.steps.entries()) {
        expect(responses[index], step.line).toEqual(recorded);
      }
    });
  }
});
