import { expect, test } from "vitest";
import { recordingTerminal } from "../fixtures/terminal.js";
import { Screen } from "./screen.js";

test("on a terminal, each text takes the place of the one before", () => {
  const terminal = recordingTerminal({ tty: true, columns: 10 });
  const screen = new Screen(terminal);
  screen.draw("one\ntwo\n");
  screen.draw("one\ntwo\n");
  expect(terminal.out()).toBe("one\u001B[K\ntwo\u001B[K\n\u001B[J");
  screen.draw("three\n");
  expect(terminal.out().slice("one\u001B[K\ntwo\u001B[K\n\u001B[J".length)).toBe(
    "\u001B[2A\rthree\u001B[K\n\u001B[J",
  );
});

test("lines that do not fit are cut, colours apart", () => {
  const terminal = recordingTerminal({ tty: true, columns: 8 });
  new Screen(terminal).draw("\u001B[31m12345678\u001B[39m\n123456789\n");
  expect(terminal.out()).toBe("\u001B[31m12345678\u001B[39m\u001B[K\n1234567…\u001B[0m\u001B[K\n\u001B[J");
});

test("more lines than there are rows would scroll away", () => {
  const terminal = recordingTerminal({ tty: true });
  new Screen(terminal).draw(Array.from({ length: 100 }, (_, at) => `line ${at}\n`).join(""));
  expect(terminal.out().split("\n")).toHaveLength(40);
  expect(terminal.out()).toContain("… 62 more lines");
});

test("elsewhere, each text that is new stands by itself", () => {
  const terminal = recordingTerminal();
  const screen = new Screen(terminal);
  for (const text of ["one\n", "one\n", "two\n"]) screen.draw(text);
  expect(terminal.out()).toBe("one\n\ntwo\n");
});
