import { expect, test } from "vitest";
import { createEvent, InvalidEvent } from "./create-event.js";

test.each([
  ["hops", -1],
  ["hops", "many"],
  ["hops", true],
  ["subject", 5],
  ["objectapiversion", 5],
  ["objectkind", true],
  ["objectnamespace", 0],
  ["objectname", 1],
  ["objectuid", false],
  ["cause", 1],
  ["resync", "yes"],
])("refuses an attribute that Fettle reads, of another type: %s = %j", (name, value) => {
  const create = (): unknown => createEvent({ type: "a.b", [name]: value });
  expect(create).toThrow(InvalidEvent);
  expect(create).toThrow(`attribute ${name} must`);
});

test("accepts any simple value in attributes of others", () => {
  expect(createEvent({ type: "a.b", zone: 5, urgent: true, hops: 3 })).toMatchObject({
    zone: 5,
    urgent: true,
    hops: 3,
  });
});
