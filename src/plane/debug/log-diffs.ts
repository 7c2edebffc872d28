import type { DebugSwitches } from "../../runtime/log/debug-switches.js";
import { lazyChild, type Log } from "../../runtime/log/log.js";
import type { Observer } from "../../runtime/observe/observer.js";
import { runReport } from "../management/runs/run-reports.js";

/** Observer that logs the differences that runs write while `log_diffs` of the component `reconciler` is on. Secrets are hidden. */
export function logDiffs(switches: DebugSwitches, parent: Log): Observer {
  const log = lazyChild(parent, () => ({ component: "reconciler" }));
  return {
    ended(run) {
      if (!switches.isOn("log_diffs") || run.writes.length === 0) return;
      const { controller, kind, key, id } = run;
      for (const write of runReport(run, false).writes) {
        const { verb, name, namespace, subresource, changes, sent, error } = write;
        const target = `${write.kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
        log.info(
          {
            controller,
            object: `${kind} ${key}`,
            run: id,
            verb,
            target,
            ...(subresource !== undefined && { subresource }),
            ...(error !== undefined && { failure: error }),
            ...(sent === undefined ? { changes } : { sent }),
          },
          `${verb} ${target}`,
        );
      }
    },
  };
}
