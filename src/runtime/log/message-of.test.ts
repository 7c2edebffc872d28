import { expect, test } from "vitest";
import { messageOf } from "./message-of.js";

test.each<[string, unknown, string]>([
  ["an error", new TypeError("no"), "no"],
  ["a text", "no", "no"],
  ["nothing", undefined, "undefined"],
  ["a symbol", Symbol("no"), "Symbol(no)"],
  ["a message that is no text", Object.assign(new Error("x"), { message: 5 }), "5"],
])("of %s", (_, thrown, message) => {
  expect(messageOf(thrown)).toBe(message);
});

test("is read safely, whatever was thrown", () => {
  const sore = new Error("x");
  Object.defineProperty(sore, "message", {
    get() {
      throw sore;
    },
  });
  for (const thrown of [sore, Object.create(null)]) {
    expect(messageOf(thrown)).toBe("the thrown value has no readable message");
  }
});
