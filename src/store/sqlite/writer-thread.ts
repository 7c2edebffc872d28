import { availableParallelism } from "node:os";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { decodeCommits, encodeOutcomes } from "./codec.js";
import type { CommitReply, CommitRequest, Reply, Request, WireMutation, WriterSettings } from "./protocol.js";
import type { Stretch } from "./tail.js";
import { failureOf, Writer } from "./writer.js";

/**
 * The writing thread: answers one request after the other until it is told to close.
 *
 * Commits that have arrived while it was busy with the ones before them go into one transaction and are made durable by
 * one sync, up to a bound. So the more clients write at once, the less a commit costs, and none waits for company that
 * may not come. Those that arrive during a transaction are left for the next one: then this thread has some to work on
 * while the other deals with the answer, where else each would wait for the other in turn.
 */
if (parentPort === null) throw new Error("this module is the entry of a worker thread");
const port = parentPort;
const writer = new Writer(workerData as WriterSettings);

/** Beyond this the wait for the group costs its first members more than a further sync. */
const maxCommits = 512;
const maxBytes = 4 * 2 ** 20;

/**
 * How long, in milliseconds, the thread looks out for the next request before it goes to sleep. Who makes one commit
 * after the other sends it within this time, and waking a thread takes about as long as a sync. Where there is but
 * one processor, looking out would only keep others from it.
 */
const attention = availableParallelism() > 1 ? 0.2 : 0;

/** A request that was taken from the port while looking for commits, and is next in turn. */
let next: Request | undefined;

port.on("message", (first: Request) => {
  for (let request: Request | undefined = first; request !== undefined; request = takeNext()) {
    if (request.type === "close") {
      writer.close();
      port.close();
      return;
    }
    port.postMessage(request.type === "commit" ? commit(request) : sweep(request.floor));
    // The answer is on its way: what follows delays nobody who waits for it.
    tellIndexed(writer.indexIfDue());
    writer.checkpointIfDue();
    lookOut();
  }
});

function lookOut(): void {
  const until = performance.now() + attention;
  while (next === undefined && performance.now() < until) {
    next = receiveMessageOnPort(port)?.message as Request | undefined;
  }
}

function takeNext(): Request | undefined {
  const taken = next;
  next = undefined;
  return taken;
}

function commit(first: CommitRequest): CommitReply {
  const commits: WireMutation[][] = [];
  let requests = 0;
  let bytes = 0;
  next = first;
  while (next?.type === "commit") {
    commits.push(...decodeCommits(next));
    requests += 1;
    bytes += next.values.byteLength;
    const full = commits.length >= maxCommits || bytes >= maxBytes;
    next = full ? undefined : (receiveMessageOnPort(port)?.message as Request | undefined);
  }
  return encodeOutcomes(writer.commit(commits, first.time), requests);
}

function sweep(floor: number): Reply {
  try {
    const { more, indexed } = writer.sweep(floor);
    tellIndexed(indexed);
    return { type: "sweep", more };
  } catch (error) {
    return { type: "sweep", more: false, failure: failureOf(error) };
  }
}

function tellIndexed(stretch: Stretch | undefined): void {
  if (stretch !== undefined) port.postMessage({ type: "indexed", stretch } satisfies Reply);
}
