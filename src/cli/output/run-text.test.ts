import { expect, test } from "vitest";
import { runOf } from "../../runtime/runs/fixtures/sample-run.js";
import { runText } from "./run-text.js";

const write = {
  verb: "patch",
  apiVersion: "v1",
  kind: "ConfigMap",
  namespace: "default",
  name: "map",
  at: 0,
  isNew: false,
  changes: [],
};

test("shows the request of a write without known changes, and the number of writes that were not kept", () => {
  const run = { ...runOf(), droppedWrites: 1, writes: [write, { ...write, sent: { data: { a: "2" } } }] };
  expect(runText(run, false)).toContain(
    `
  wrote    changed ConfigMap default/map (no change)
           and 1 write not recorded
           changed ConfigMap default/map (previous state unknown; this was sent)
             data:
               a: "2"
  outcome  done
`,
  );
});
