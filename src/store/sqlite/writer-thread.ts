import { parentPort, workerData } from "node:worker_threads";
import type { Reply, Request } from "./protocol.js";
import { failureOf, Writer } from "./writer.js";

/** The writing thread: answers one request after the other until it is told to close. */
if (parentPort === null) throw new Error("this module is the entry of a worker thread");
const port = parentPort;
const writer = new Writer((workerData as { path: string }).path);

port.on("message", (request: Request) => {
  if (request.type === "close") {
    writer.close();
    port.close();
    return;
  }
  port.postMessage(request.type === "commit" ? commit(request) : sweep(request));
  // The answer is on its way: what follows delays nobody who waits for it.
  writer.checkpointIfDue();
});

function commit(request: Request & { type: "commit" }): Reply {
  return { type: "commit", outcomes: writer.commit(request) };
}

function sweep(request: Request & { type: "sweep" }): Reply {
  try {
    return { type: "sweep", more: writer.sweep(request.floor) };
  } catch (error) {
    return { type: "sweep", more: false, failure: failureOf(error) };
  }
}
