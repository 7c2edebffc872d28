import { remotePlane, type Plane } from "../runtime-plane.js";
import { defineKinds, Widget } from "../runtime-widgets.js";
import { startCluster } from "./cluster.js";
import { startGoProgram } from "./go-program.js";

/** A controller-runtime controller on a real kube-apiserver, and a plane for our controllers on the same server. */
export interface ConvergePeer extends AsyncDisposable {
  readonly plane: Plane;
  /** Measures the time from the first create to the last Ready in an existing empty namespace. */
  converge(task: Task): Promise<Converged>;
}

interface Task {
  readonly namespace: string;
  /** resourceVersion at which the watch for Ready objects starts. */
  readonly since: string;
  readonly objects: number;
  readonly creators: number;
  readonly concurrency: number;
}

interface Converged {
  readonly milliseconds: number;
  /** Processor time of the controller's process; milliseconds. */
  readonly processor: number;
  /** Peak memory of that process; bytes. */
  readonly peak: number;
}

export async function startConvergePeer(directory: string): Promise<ConvergePeer> {
  const started: AsyncDisposable[] = [];
  const close = async (): Promise<void> => {
    for (const each of started.toReversed()) await each[Symbol.asyncDispose]();
  };
  const keep = <Started extends AsyncDisposable>(each: Started): Started => {
    started.push(each);
    return each;
  };
  try {
    const { url, token, ca, kubeconfig } = keep(await startCluster(directory));
    const program = keep(await startGoProgram("converge", [kubeconfig]));
    const plane = keep(
      remotePlane("fettle on kube-apiserver", { port: Number(new URL(url).port), token, ca }),
    );
    await defineKinds(plane.client);
    await served(plane);
    return {
      plane,
      converge: (task) => program.ask<Converged>(task),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Resolves when kube-apiserver serves the kind, some time after its definition. */
async function served({ client }: Plane): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.list(Widget, { namespace: "default", limit: 1 });
      return;
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
