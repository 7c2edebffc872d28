import { textOf, type Theme } from "./known-difference.js";

export const builtInKinds: Theme = {
  title: "Built-in kinds",
  differences: [
    {
      why: "Creating pods, and objects that create pods, is answered with a warning that nothing here runs pods.",
      covers: ({ path, ours, theirs }) =>
        (path.startsWith("headers.warning") && isSameBut(ours, theirs, "nothing here runs pods")) ||
        (path.endsWith(".err") &&
          textOf(ours).replace(/^Warning: nothing here runs pods.*\n/m, "") === theirs),
    },
    {
      why: "Writing roles and bindings is answered with a warning that they are not enforced here.",
      covers: ({ path, ours, theirs }) =>
        (path.startsWith("headers.warning") &&
          isSameBut(ours, theirs, "roles and bindings are not enforced")) ||
        (path.endsWith(".err") &&
          textOf(ours).replaceAll(/^Warning: roles and bindings are not enforced.*\n/gm, "") === theirs),
    },
    {
      why: "Logs, exec, attach and port-forward get 400 with the reason: no pods run here. Kubernetes has empty logs, or reports a missing host.",
      covers: ({ step, answers: [ours] }) =>
        /\/(log|exec|attach|portforward)(\?|$)/.test(step.path) &&
        JSON.stringify(ours.body).includes("no pods run here"),
    },
    {
      why: "There are no admission plugins: tolerations, taints, priorities and finalizers are not added.",
      covers: ({ path }) =>
        /^body\.(spec\.(tolerations|priority|preemptionPolicy)|metadata\.finalizers)$/.test(path),
    },
    {
      why: "The status of built-in kinds is stored as written: it is not validated, and no times are added (`lastPhaseTransitionTime` of volumes).",
      covers: ({ step, path, answers: [ours] }) =>
        JSON.stringify(ours.body).includes('"replicas":-3') &&
        (step.path.includes("/deployments/a") || path === "code"),
    },
  ],
};

/** Whether two headers are the same without the values that contain a text. */
function isSameBut(ours: unknown, theirs: unknown, text: string): boolean {
  const list = (header: unknown): readonly string[] =>
    header === undefined ? [] : [header].flat().filter((value): value is string => typeof value === "string");
  const others = list(ours).filter((value) => !value.includes(text));
  return others.length < list(ours).length && JSON.stringify(others) === JSON.stringify(list(theirs));
}
