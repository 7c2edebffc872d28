import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";

/** A child process that exchanges messages with this one. */
export interface Child {
  /** Resolves with the next message; rejects when the process exits first. */
  answer<T>(): Promise<T>;
  ask<T>(question: object): Promise<T>;
  stop(): Promise<void>;
}

const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

export function startChild(
  file: string,
  options: { readonly arguments?: readonly string[]; readonly flags?: readonly string[] } = {},
): Child {
  const child = fork(new URL(file, import.meta.url), [...(options.arguments ?? [])], {
    execArgv: [...(options.flags ?? [])],
  });
  children.add(child);
  const exited = once(child, "exit");
  // Handled by the callers that wait for a message.
  exited.catch(() => {});
  const answer = async <T>(): Promise<T> => {
    const [message] = (await Promise.race([
      once(child, "message"),
      exited.then(([code]) => {
        throw new Error(`${file} ended with ${String(code)} instead of answering`);
      }),
    ])) as [T];
    return message;
  };
  return {
    answer,
    ask(question) {
      child.send(question);
      return answer();
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
      children.delete(child);
    },
  };
}
