import { expect, test } from "vitest";
import type { ExitRecord } from "./driver.js";
import { exitText } from "./exit-text.js";

test.each<[Partial<ExitRecord>, string]>([
  [{ code: 1 }, "exited with code 1"],
  [
    { cause: "Signaled", signal: "SIGKILL", oomKilled: true },
    "was killed by SIGKILL: its memory limit was exceeded",
  ],
  [{ code: 0, leftovers: 1 }, "exited with code 0; 1 descendant was still running and was killed"],
  [{ code: 0, leftovers: 2 }, "exited with code 0; 2 descendants were still running and were killed"],
  [
    { cause: "NotStarted", problem: { reason: "UnknownUser", message: "There is no user web" } },
    "could not be started: there is no user web",
  ],
  [
    { cause: "NotStarted", problem: { reason: "LaunchFailed", message: "ENOMEM: out of memory" } },
    "could not be started: ENOMEM: out of memory",
  ],
])("an exit is described: %j", (exit, text) => {
  expect(exitText({ cause: "Exited", at: 0, oomKilled: false, leftovers: 0, ...exit })).toBe(text);
});
