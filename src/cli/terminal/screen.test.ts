import { expect, test } from "vitest";
import { recordingTerminal } from "../fixtures/terminal.js";
import { Screen } from "./screen.js";

test("on a terminal, each text replaces the previous one", () => {
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

test("lines that are too long are cut; escape sequences of colours do not count", () => {
  const terminal = recordingTerminal({ tty: true, columns: 8 });
  new Screen(terminal).draw("\u001B[31m12345678\u001B[39m\n123456789\n");
  expect(terminal.out()).toBe("\u001B[31m12345678\u001B[39m\u001B[K\n1234567…\u001B[0m\u001B[K\n\u001B[J");
});

test("shows only as many lines as the terminal has rows", () => {
  const terminal = recordingTerminal({ tty: true });
  new Screen(terminal).draw(Array.from({ length: 100 }, (_, at) => `line ${at}\n`).join(""));
  expect(terminal.out().split("\n")).toHaveLength(40);
  expect(terminal.out()).toContain("… 62 more lines");
});

test("elsewhere, appends each text that differs from the previous one", () => {
  const terminal = recordingTerminal();
  const screen = new Screen(terminal);
  for (const text of ["one\n", "one\n", "two\n"]) screen.draw(text);
  expect(terminal.out()).toBe("one\n\ntwo\n");
});
