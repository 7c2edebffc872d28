import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { expand } from "../launch.js";
import { escapeReferences } from "./manifest.js";
import { shellCommand, splitWords } from "./shell-command.js";

test.each([
  ["node web.js", ["node", "web.js"]],
  ["node web.js --title 'Hello, world'", ["node", "web.js", "--title", "Hello, world"]],
  [String.raw`echo "a \"b\" \n" c\ d`, ["echo", String.raw`a "b" \n`, "c d"]],
  [`printf 'a'"b"c ''`, ["printf", "abc", ""]],
  [`grep '$HOME | *' file`, ["grep", "$HOME | *", "file"]],
  ["exec bundle exec puma", ["bundle", "exec", "puma"]],
  ["git log a..b --format=%h,%s", ["git", "log", "a..b", "--format=%h,%s"]],
])("a line without shell syntax becomes words: %s", (line, words) => {
  expect(shellCommand(line)).toEqual({ command: words, env: new Map() });
});

test.each([
  ["node web.js -p $PORT", "exec node web.js -p $PORT"],
  ['echo "$HOME"', 'exec echo "$HOME"'],
  ["cat *.txt > all", "exec cat *.txt > all"],
  ["cd web && npm start", "cd web && exec npm start"],
  ["mkdir -p tmp; node a.js 2>&1", "mkdir -p tmp; exec node a.js 2>&1"],
  ["A=$B node a.js", "A=$B exec node a.js"],
  ["a | b", "a | b"],
  ["a && b | c", "a && b | c"],
  ["a & b", "a & b"],
  ["(a; b)", "(a; b)"],
  ["while true; do date; sleep 1; done", "while true; do date; sleep 1; done"],
  ["trap 'echo bye' TERM; sleep 5", "trap 'echo bye' TERM; sleep 5"],
  ["cd /tmp", "cd /tmp"],
  ["exec node web.js $PORT", "exec node web.js $PORT"],
  ["echo 'not closed", "echo 'not closed"],
  ["a; b;", "a; b;"],
  ["~/bin/web", "exec ~/bin/web"],
  ["a < b", "exec a < b"],
  ["echo ${A:-x; y}", "echo ${A:-x; y}"],
  ["echo `a; b`", "echo `a; b`"],
])("any other line is run by a shell: %s", (line, script) => {
  expect(shellCommand(line).command).toEqual(["/bin/sh", "-c", script]);
});

test("variables before a program become its environment", () => {
  expect(shellCommand("NODE_ENV=production TITLE='a b' node web.js")).toEqual({
    command: ["node", "web.js"],
    env: new Map([
      ["NODE_ENV", "production"],
      ["TITLE", "a b"],
    ]),
  });
});

test("command substitutions are not mistaken for references to variables", () => {
  expect(shellCommand("echo $(date) $$").command[2]).toBe("echo $$(date) $$");
});

test("escaped text is the same after the replacement of references", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("$", "(", ")", "A", " ") }), (text) => {
      expect(expand(escapeReferences(text), { A: "replaced" })).toBe(text);
    }),
    { numRuns: 2000 },
  );
});

test("words are those that a real shell finds, and scripts do the same with exec", () => {
  const unit = fc.constantFrom(
    "a",
    "b",
    " ",
    "'",
    '"',
    "\\",
    "$A",
    ";",
    "&&",
    "||",
    "=",
    "#",
    ">&1",
    "~",
    "${A:-",
    "}",
    "`",
    "|",
  );
  const run = (file: string, args: readonly string[]): string | undefined => {
    try {
      return execFileSync(file, args, {
        env: { A: "x y", PATH: "/nowhere" },
        stdio: ["ignore", "pipe", "ignore"],
      }).toString();
    } catch {
      return undefined;
    }
  };
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 8 }), (parts) => {
      // A program that prints its arguments, one per line.
      const line = `/usr/bin/printf '<%s>' ${parts.join("")}`;
      const [file = "", ...args] = shellCommand(line).command.map((word) => expand(word, {}));
      expect(run(file, args), line).toBe(run("/bin/sh", ["-c", line]));
    }),
    { numRuns: 150 },
  );
});

test("words without a shell keep operators", () => {
  expect(splitWords("echo a | b > 'c d'")).toEqual(["echo", "a", "|", "b", ">", "c d"]);
  expect(splitWords("echo $HOME *")).toEqual(["echo", "$HOME", "*"]);
  expect(splitWords("a\n  b")).toEqual(["a", "b"]);
  expect(splitWords("echo 'a")).toBeUndefined();
});
