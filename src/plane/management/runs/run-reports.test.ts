import { expect, test } from "vitest";
import { kindOf, objectOf, runOf, writeOf } from "../../../runtime/runs/fixtures/sample-run.js";
import { MemoryRunStore } from "../../../runtime/runs/memory-run-store.js";
import type { Run } from "../../../runtime/runs/run.js";
import { lastRuns } from "./run-reports.js";

async function reported(run: Partial<Run>, reveal = false) {
  const runs = new MemoryRunStore();
  runs.add(runOf(run));
  return (await lastRuns(runs, { kind: "Site", key: "default/hello" }, reveal))[0];
}

test("reports what was sent, in place of changes, when the object before the write is not known", async () => {
  const kind = kindOf("Secret", "v1");
  const after = objectOf("Secret", "login", "2", { data: { password: "bmV3", user: "cm9vdA==" } });
  const sent = { data: { password: "bmV3" } };
  const writes = [writeOf({ kind, name: "login", verb: "patch", after, sent })];
  expect((await reported({ writes }))?.writes).toMatchObject([
    { isNew: false, sent: { data: { password: "[hidden]" } }, changes: [] },
  ]);
  expect((await reported({ writes }, true))?.writes).toMatchObject([{ isNew: false, sent, changes: [] }]);
  const known = writeOf({ kind, name: "login", verb: "create", after });
  expect((await reported({ writes: [known] }))?.writes[0]).not.toHaveProperty("sent");
});
