import { setImmediate } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { Client } from "../../client/client.js";
import { runOf } from "../../runtime/runs/fixtures/sample-run.js";
import { MemoryRunStore } from "../../runtime/runs/memory-run-store.js";
import { followForPeople } from "./follow-work.js";

test("a run that failed during the start gets one line, also when its event arrives first", async () => {
  let finishReading = (): void => {};
  const isRead = new Promise<void>((resolve) => (finishReading = resolve));
  const runs = new (class extends MemoryRunStore {
    override async find(): ReturnType<MemoryRunStore["find"]> {
      await isRead;
      return super.find();
    }
  })();
  runs.add(runOf({ outcome: { type: "error", reason: "Error", message: "boom" } }));

  const warning = (message: string) => ({
    type: "ADDED",
    object: {
      metadata: { resourceVersion: "2" },
      involvedObject: { kind: "Site", namespace: "default", name: "hello" },
      type: "Warning",
      reason: "Error",
      message,
    },
  });
  const client = {
    list: async () => ({ items: [], resourceVersion: "1" }),
    async *watch() {
      void setImmediate().then(finishReading);
      yield warning("boom");
      yield warning("the disk is slow");
      await new Promise(() => {});
    },
  } as unknown as Client;

  const written: string[] = [];
  const write = (text: string): void => void written.push(text.replace(/^\d\d:\d\d:\d\d /, ""));
  followForPeople({ runs, since: 0, client, signal: new AbortController().signal }, { colors: false, write });
  await vi.waitFor(() => expect(written.join("")).toContain("the disk is slow"));
  expect(written).toEqual([
    "✗ Site default/hello  failed: Error: boom; retrying\n",
    "! Site default/hello  Error: the disk is slow\n",
  ]);
});
