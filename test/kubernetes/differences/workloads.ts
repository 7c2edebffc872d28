import type { Theme } from "./kept.js";

export const inWorkloads: Theme = {
  title: "Workloads",
  kept: [
    {
      why: "Services keep the addresses and node ports that they are given, and are given none.",
      covers: ({ step, path }) =>
        step.path.includes("/services") &&
        /f:clusterIPs$|^body\.spec\.(clusterIPs?|ipFamil\w+|ports\[\d+\]\.nodePort)$/.test(path),
    },
    {
      why: "There are no admission plugins: nobody adds tolerations, taints, priorities or finalizers to what was sent.",
      covers: ({ path }) =>
        /^body\.(spec\.(tolerations|priority|preemptionPolicy)|metadata\.finalizers)$/.test(path),
    },
    {
      why: "The status of built-in kinds is kept as it is written, whether or not its numbers fit together, and gets no time of its own (`lastPhaseTransitionTime` of volumes).",
      covers: ({ step, path, answers: [ours] }) =>
        JSON.stringify(ours.body).includes('"replicas":-3') &&
        (step.path.includes("/deployments/a") || path === "code"),
    },
  ],
};
