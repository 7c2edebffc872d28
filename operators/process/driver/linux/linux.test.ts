import { describeDriver } from "../contract.js";
import { describeIf, isLinux, sh, TestMachine } from "./fixtures.js";

/** Prints arguments: those that begin with 1 to standard output, the others to standard error. */
const printScript = `for line; do
  case $line in 1*) echo "\${line#1}";; *) echo "\${line#2}" >&2;; esac
done`;

describeIf(isLinux, "Linux", "on Linux", () => {
  for (const cgroups of ["auto", "off"] as const) {
    describeDriver(`the contract, with cgroups ${cgroups}`, async () => {
      const machine = await TestMachine.open({ cgroups });
      return {
        get driver() {
          return machine.driver;
        },
        programs: {
          sleep: () => ["sleep", "1000"],
          exit: (code) => sh(`exit ${code}`),
          print: (stdout, stderr = []) =>
            sh(printScript, ...stdout.map((line) => `1${line}`), ...stderr.map((line) => `2${line}`)),
          printVariable: (name) => sh(`printf %s "$${name}"`),
          stubborn: () => sh("trap '' TERM; echo ready; while :; do sleep 1000; done"),
          reload: () => sh("trap 'echo reloaded' HUP; echo ready; while :; do sleep 0.01; done"),
          notify: () => sh("echo up >&3; exec sleep 1000"),
          leaveDescendant: () => sh("sleep 1000 & exit 0"),
          check: (code) => sh(`exit ${code}`),
        },
        reopen: () => machine.reopen(),
        elapse: async () => {},
        [Symbol.asyncDispose]: () => machine[Symbol.asyncDispose](),
      };
    });
  }
});
