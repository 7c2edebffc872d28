import { expect, test } from "vitest";
import { kindOf, objectOf, runOf, writeOf } from "../../../runtime/runs/fixtures/sample-run.js";
import { RunLog } from "../../../runtime/runs/run-log.js";
import type { Run } from "../../../runtime/runs/run.js";
import type { Controllers } from "../../../runtime/start/start-controllers.js";
import { lastRuns } from "./told-runs.js";

function told(run: Partial<Run>, reveal = false) {
  const runs = new RunLog();
  runs.add(runOf(run));
  return lastRuns({ runs } as Controllers, { kind: "Site", key: "default/hello" }, 10, reveal)[0];
}

test("of a write to what nobody knew before, what was sent is told in place of changes", () => {
  const kind = kindOf("Secret", "v1");
  const after = objectOf("Secret", "login", "2", { data: { password: "bmV3", user: "cm9vdA==" } });
  const sent = { data: { password: "bmV3" } };
  const writes = [writeOf({ kind, name: "login", verb: "patch", after, sent })];
  expect(told({ writes })?.writes).toMatchObject([
    { isNew: false, sent: { data: { password: "[hidden]" } }, changes: [] },
  ]);
  expect(told({ writes }, true)?.writes).toMatchObject([{ isNew: false, sent, changes: [] }]);
  const known = writeOf({ kind, name: "login", verb: "create", after });
  expect(told({ writes: [known] })?.writes[0]).not.toHaveProperty("sent");
});
