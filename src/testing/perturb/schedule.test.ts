import { expect, test } from "vitest";
import { parseSchedule, scheduleId } from "./schedule.js";

test.each(["crash@3", "stale@7:w2", "stale@7:e7", "stale@9:t4", "missed@12", "crash@3+lag@9"])(
  "%s is read as it is written",
  (id) => expect(scheduleId(parseSchedule(id))).toBe(id),
);

test.each([
  "",
  "crash",
  "crash@",
  "flood@1",
  "stale@3",
  "crash@3:w1",
  "crash@3+",
  "crash@-1",
  "crash@0",
  "stale@3:w0",
])("%j is not a schedule", (id) => expect(() => parseSchedule(id)).toThrow(/use an id from a report/));
