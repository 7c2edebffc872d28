import { availableParallelism } from "node:os";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { decodeCommits, encodeOutcomes } from "./codec.js";
import type {
  CommitReply,
  CommitRequest,
  WriterReply,
  WriterRequest,
  WireMutation,
  WriterSettings,
} from "./protocol.js";
import type { TailRange } from "./tail.js";
import { writerFailure, Writer } from "./writer.js";

/**
 * Writer thread: handles one request after the other until it gets `close`.
 *
 * Group commit: commits that arrived while the thread was busy share one transaction and one sync, up to a limit. More
 * concurrent clients make a commit cheaper, and no commit waits for others to arrive. Commits that arrive during a
 * transaction wait for the next one, so that both threads have work: this one while the store handles the reply.
 */
if (parentPort === null) throw new Error("this module is the entry of a worker thread");
const port = parentPort;
const writer = new Writer(workerData as WriterSettings);

/** Limits of a group; in a larger one the first commits would wait longer than for a sync of their own. */
const maxCommits = 512;
const maxBytes = 4 * 2 ** 20;

/**
 * Milliseconds for which the thread polls for the next request before it sleeps. A client that commits in sequence sends
 * it within this time, and waking a thread takes about as long as a sync. With a single processor, polling would only
 * take time from the other thread.
 */
const pollMilliseconds = availableParallelism() > 1 ? 0.2 : 0;

/** Next request, if it was already taken from the port while collecting commits or polling. */
let next: WriterRequest | undefined;

/** The mark of the last commits before a pause; while there is work, the writer syncs it itself. */
const syncTimer = setInterval(() => writer.syncMark(), 1000);

port.on("message", (first: WriterRequest) => {
  for (let request: WriterRequest | undefined = first; request !== undefined; request = takeNext()) {
    if (request.type === "close") {
      clearInterval(syncTimer);
      writer.close();
      port.close();
      return;
    }
    port.postMessage(request.type === "commit" ? commit(request) : sweep(request.floor));
    // The reply has been sent, so the rest does not delay it.
    postIndexed(writer.indexIfDue());
    writer.checkpointIfDue();
    pollForRequest();
  }
});

function pollForRequest(): void {
  const until = performance.now() + pollMilliseconds;
  while (next === undefined && performance.now() < until) {
    next = receiveMessageOnPort(port)?.message as WriterRequest | undefined;
  }
}

function takeNext(): WriterRequest | undefined {
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
    next = full ? undefined : (receiveMessageOnPort(port)?.message as WriterRequest | undefined);
  }
  return encodeOutcomes(writer.commit(commits, first.time), requests);
}

function sweep(floor: number): WriterReply {
  try {
    const { more, indexed } = writer.sweep(floor);
    postIndexed(indexed);
    return { type: "sweep", more };
  } catch (error) {
    return { type: "sweep", more: false, failure: writerFailure(error) };
  }
}

function postIndexed(range: TailRange | undefined): void {
  if (range !== undefined) port.postMessage({ type: "indexed", range } satisfies WriterReply);
}
