import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operator } from "fettle";
import { expect, test } from "vitest";
import { describeWith, kubernetes } from "../../../test/components/index.js";
import { until } from "../../../test/runtime/until.js";
import { Process, processOperator, ProcessSet, type ProcessObject } from "../index.js";

describeWith("the process operator on Kubernetes", kubernetes, (get) => {
  test(
    "runs processes of this machine for objects of a cluster, and adopts them",
    { timeout: 120_000 },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "fettle-process-"));
      const start = (onExit: "keep" | "stop") =>
        operator({
          operators: [processOperator({ onExit })],
          kubeconfig: get().kubeconfig,
          data: folder,
          leaderElection: false,
        });
      const first = await start("keep");
      const { client } = first;
      await client.create(Process, {
        metadata: { name: "web" },
        spec: {
          command: ["sh", "-c", "echo listening; exec sleep 1000"],
          readinessProbe: { log: { pattern: "listening" } },
        },
      });
      await client.create(ProcessSet, {
        metadata: { name: "workers" },
        spec: { replicas: 2, template: { spec: { command: ["sleep", "1000"] } } },
      });
      const web = await until(client, Process, "web", isReady);
      for (const name of ["workers-0", "workers-1"]) await until(client, Process, name, isReady);
      await first.stop();

      const second = await start("stop");
      const adopted = await until(second.client, Process, "web", (found) => found?.status?.adopted === true);
      expect(adopted?.status).toMatchObject({ pid: web?.status?.pid, attempt: 1, restarts: 0 });
      // Without kube-controller-manager nobody deletes the processes of a deleted set.
      for (const name of ["web", "workers-0", "workers-1"]) await second.client.delete(Process, name);
      await second.client.delete(ProcessSet, "workers");
      await second.stop();
      expect(isAlive(web?.status?.pid ?? 0)).toBe(false);
      rmSync(folder, { recursive: true });
    },
  );
});

function isReady(process: ProcessObject | undefined): boolean {
  return (
    process?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false
  );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
