import type { Theme } from "./known-difference.js";

export const builtInKinds: Theme = {
  title: "Built-in kinds",
  differences: [
    {
      why: "Services keep the addresses and node ports that clients set; none are allocated.",
      covers: ({ step, path }) =>
        step.path.includes("/services") &&
        /f:clusterIPs$|^body\.spec\.(clusterIPs?|ipFamil\w+|ports\[\d+\]\.nodePort)$/.test(path),
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
