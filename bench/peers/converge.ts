import { remotePlane, type Plane } from "../runtime-plane.js";
import { defineKinds, Widget } from "../runtime-widgets.js";
import { startCluster } from "./cluster.js";
import { startGoProgram } from "./go-program.js";

/** A controller in controller-runtime on a real kube-apiserver, and the way to the same API for ours. */
export interface ConvergePeer extends AsyncDisposable {
  readonly plane: Plane;
  /** From the first create to the last Ready, in a namespace that is there and empty. */
  converge(task: Task): Promise<Converged>;
}

interface Task {
  readonly namespace: string;
  /** The version from which on it is looked for what is ready. */
  readonly since: string;
  readonly objects: number;
  readonly creators: number;
  readonly concurrency: number;
}

interface Converged {
  readonly milliseconds: number;
  /** Milliseconds of processor time of the controller's process. */
  readonly processor: number;
  /** Bytes of memory that process had at most. */
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

/** kube-apiserver begins to serve a kind some time after it was defined. */
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
