import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FuzzedServer } from "../server/fuzzed-server.js";
import type { FuzzRequest } from "../requests/draft.js";
import { Session } from "../session.js";

const request = (given: Pick<FuzzRequest, "method" | "target" | "body">): FuzzRequest => ({
  family: "",
  verb: "",
  headers: given.body === undefined ? [] : [["content-type", "application/json"]],
  lies: false,
  waits: false,
  broken: [],
  ...given,
});

test("a plan of very many manifests does not block other requests", async () => {
  const data = mkdtempSync(join(tmpdir(), "fettle-fuzz-"));
  const sessions: Session[] = [];
  try {
    await using server = await FuzzedServer.start(data, "plain");
    const send = async (each: FuzzRequest, session: Session): Promise<number> =>
      (await session.send(session.complete(each), false)).code;
    const patient = new Session(server.address);
    const other = new Session(server.address);
    sessions.push(patient, other);
    const manifests = Array.from({ length: 1000 }, (_, index) => ({
      apiVersion: "tended.dev/v1",
      kind: "Note",
      metadata: { name: `n${index}` },
    }));
    let planned: number | undefined;
    const body = Buffer.from(JSON.stringify({ manifests }));
    const planning = send(request({ method: "POST", target: "/fettle/v1/plan", body }), patient).then(
      (code) => (planned = code),
    );
    let answered = 0;
    const version = request({ method: "GET", target: "/version", body: undefined });
    for (; planned === undefined; answered++) expect(await send(version, other)).toBe(200);
    expect(await planning).toBe(200);
    expect(answered).toBeGreaterThan(20);
  } finally {
    for (const session of sessions) session.close();
    rmSync(data, { recursive: true, force: true });
  }
});
