import type { PutOperation } from "../history.js";
import type { Change, Log } from "./log.js";
import type { RealTime } from "./real-time.js";
import { sameData, sameRegister, show, type Report } from "./report.js";

/** Checks that the puts in the log are those that were sent, each at most once, with the content they should have. */
export function checkPuts(puts: readonly PutOperation[], log: Log, time: RealTime, report: Report): void {
  const sent = new Map(puts.map((put) => [put.id, put]));
  const made = new Map<string, Change>();
  for (const change of log.changes) {
    if (change.after === undefined) continue;
    const id = change.after.data["write"] ?? "";
    const put = sent.get(id);
    if (put === undefined) report("invented change", `nobody wrote ${show(change.after)}`);
    else if (made.has(id)) report("repeated write", `${describe(put)} made ${show(change.after)} again`);
    else checkChange(put, change, time, report);
    made.set(id, change);
  }
  for (const put of puts) checkOutcome(put, made.get(put.id), log, time, report);
  checkSwaps(puts, report);
}

function checkChange(
  put: PutOperation,
  { before, after, revision }: Change,
  time: RealTime,
  report: Report,
): void {
  const { verb, expects } = put;
  if (put.outcome.type === "refused") {
    report("effect of a refused write", `${describe(put)} made ${show(after)}`);
    return;
  }
  if (verb === "create" && before !== undefined)
    report("content", `${describe(put)} replaced ${show(before)}`);
  if ((verb === "patch" || verb === "update") && before === undefined) {
    report("content", `${describe(put)} changed an object that did not exist`);
  }
  if (expects !== undefined && before?.revision !== expects) {
    report("compare-and-swap", `${describe(put)} replaced ${show(before)}`);
  }
  const merges = verb === "patch" || verb === "apply";
  const data = merges ? { ...before?.data, ...put.data } : put.data;
  if (
    after !== undefined &&
    (after.name !== put.name || after.side !== put.side || !sameData(after.data, data))
  ) {
    report("content", `${describe(put)} on ${show(before)} made ${show(after)}`);
  }
  if (revision <= time.seenBefore(put.invoked)) {
    report(
      "order",
      `${describe(put)} has revision ${revision}, but ${time.seenBefore(put.invoked)} was seen before`,
    );
  }
}

function checkOutcome(
  put: PutOperation,
  change: Change | undefined,
  log: Log,
  time: RealTime,
  report: Report,
): void {
  const { outcome } = put;
  if (outcome.type === "ok") {
    if (change?.after === undefined) report("lost write", `${describe(put)} at ${show(outcome.register)}`);
    else if (!sameRegister(change.after, outcome.register)) {
      report(
        "content",
        `the response to ${describe(put)} had ${show(outcome.register)}, not ${show(change.after)}`,
      );
    }
    const newest = time.newestAt(put.returned);
    if (outcome.register.revision > newest) {
      report(
        "order",
        `${describe(put)} has revision ${outcome.register.revision}, a later write ${newest + 1}`,
      );
    }
  }
  if (outcome.type === "refused") checkRefusal(put, outcome.reason, log, time, report);
}

function checkRefusal(put: PutOperation, reason: string, log: Log, time: RealTime, report: Report): void {
  const versions = log.versionsBetween(put.name, time.seenBefore(put.invoked), time.newestAt(put.returned));
  const isTrue = {
    AlreadyExists: () => versions.some(({ register }) => register !== undefined),
    NotFound: () => versions.some(({ register }) => register === undefined),
    Conflict: () =>
      put.expects === undefined || versions.some(({ register }) => register?.revision !== put.expects),
  }[reason];
  if (isTrue !== undefined && !isTrue()) {
    const states = versions.map(({ register }) => show(register)).join(", ");
    report("wrong refusal", `${describe(put)} was refused with ${reason}, but there was ${states}`);
  }
}

function checkSwaps(puts: readonly PutOperation[], report: Report): void {
  const swapped = new Map<number, PutOperation>();
  for (const put of puts) {
    if (put.expects === undefined || put.outcome.type !== "ok") continue;
    const other = swapped.get(put.expects);
    if (other !== undefined) {
      report(
        "compare-and-swap",
        `${describe(other)} and ${describe(put)} both replaced revision ${put.expects}`,
      );
    }
    swapped.set(put.expects, put);
  }
}

function describe({ client, verb, id, name, expects }: PutOperation): string {
  const where = expects === undefined ? name : `${name}@${expects}`;
  return `${verb} ${id} of ${where} by ${client}`;
}
