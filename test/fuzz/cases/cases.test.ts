import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Administrator } from "../administrator.js";
import { reasonOf } from "../coverage.js";
import { faultOf } from "../oracle.js";
import { FuzzedServer } from "../server/fuzzed-server.js";
import { Session } from "../session.js";
import type { FuzzRequest } from "../requests/draft.js";
import type { Answer } from "../wire/answer.js";
import type { CaseRequest } from "./case.js";
import { cases } from "./cases.js";
import { managementCases } from "./management.js";

describe("requests that once failed", () => {
  let data: string;
  let server: FuzzedServer;
  let admin: Administrator;

  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), "fettle-fuzz-"));
    server = await FuzzedServer.start(data, "plain");
    admin = new Administrator(server.address);
    await admin.prepare();
  });
  afterAll(async () => {
    admin?.close();
    await server?.[Symbol.asyncDispose]();
    rmSync(data, { recursive: true, force: true });
  });
  afterEach(async () => {
    expect((await admin.read("/readyz")).toString()).toBe("ok");
    expect(server.complaints).toBe("");
  });

  test.each([...cases, ...managementCases])(
    "$name: $answer",
    async ({ before, request, pieces = [], answer: expected }) => {
      const session = new Session(server.address);
      const send = (each: FuzzRequest): Promise<Answer> => session.send(session.complete(each), false);
      if (before !== undefined) expect((await send(wholeOf(before))).code).toBeLessThan(300);
      const whole = request && wholeOf(request);
      const answer = await (whole === undefined
        ? session.converse({ name: "", pieces, http2: false })
        : send(whole));
      session.close();
      const { code, body } = answer;
      expect(`${code} ${reasonOf(code, body)}`.trim(), body.toString().slice(0, 500)).toBe(expected);
      expect(faultOf(whole ?? { method: "GET", target: "", lies: true }, answer)).toBeUndefined();
    },
  );
});

function wholeOf({ method, target, headers = [], body }: CaseRequest): FuzzRequest {
  return {
    family: "",
    verb: "",
    method,
    target,
    headers,
    body: body && (body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body))),
    lies: false,
    waits: false,
    broken: [],
  };
}
