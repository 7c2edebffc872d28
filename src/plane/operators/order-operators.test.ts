import { expect, test } from "vitest";
import { defineOperator, isOperator, type OperatorDefinition } from "./define-operator.js";
import { orderOperators } from "./order-operators.js";

const command = (name: string) => ({ name, summary: "", load: () => expect.unreachable("not called") });

test("an operator comes after those it requires, each once", () => {
  const process = defineOperator({ name: "process" });
  const proxy = defineOperator({ name: "proxy", requires: [process] });
  const labs = defineOperator({ name: "labs", requires: [proxy, process] });
  expect(orderOperators([labs, process]).map(({ name }) => name)).toEqual(["process", "proxy", "labs"]);
});

test("refuses two operators of one name, and operators that require each other", () => {
  const process = defineOperator({ name: "process" });
  const proxy = defineOperator({ name: "proxy", requires: [defineOperator({ name: "process" })] });
  expect(() => orderOperators([process, proxy])).toThrow(
    "there are two operators named process (one is required by proxy)",
  );
  const one = { ...defineOperator({ name: "one" }) };
  const other = defineOperator({ name: "other", requires: [one] });
  expect(() => orderOperators([Object.assign(one, { requires: [other] })])).toThrow(
    "operators require each other: one → other → one",
  );
});

test("refuses names, requirements and commands that are none", () => {
  expect(() => defineOperator({ name: "../process" })).toThrow('"../process" is not a name for an operator');
  expect(() =>
    defineOperator({ name: "proxy", requires: [undefined as unknown as OperatorDefinition] }),
  ).toThrow("operator proxy requires something that is no operator");
  expect(() => defineOperator({ name: "process", commands: [command("-ps")] })).toThrow(
    'operator process: "-ps" is not a name for a command',
  );
  expect(() => defineOperator({ name: "process", commands: [command("ps"), command("ps")] })).toThrow(
    "operator process has two commands named ps",
  );
});

test("recognises an operator of another copy of the package, and nothing else", () => {
  expect(isOperator({ ...defineOperator({ name: "process" }) })).toBe(true);
  expect(isOperator({ name: "process", kinds: [] })).toBe(false);
  expect(isOperator(undefined)).toBe(false);
});
