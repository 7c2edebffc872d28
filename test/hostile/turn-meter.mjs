// Loaded into a server with `--import`: appends the processor time of its main thread in each turn of its event loop that took 5 ms
// or more to the file named by FETTLE_TURNS. Unlike latencies, it does not depend on what else runs on the machine. Linux only.
import { appendFileSync, existsSync, openSync, readSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env.FETTLE_TURNS;
const statistics = `/proc/self/task/${process.pid}/schedstat`;
if (file !== undefined && isMainThread && existsSync(statistics)) {
  const descriptor = openSync(statistics, "r");
  const buffer = Buffer.alloc(100);
  /** Processor time of this thread in milliseconds. */
  const processorTime = () => {
    const length = readSync(descriptor, buffer, 0, buffer.length, 0);
    return Number(buffer.toString("latin1", 0, length).split(" ")[0]) / 1e6;
  };
  let last = processorTime();
  const turn = () => {
    const now = processorTime();
    if (now - last >= 5) appendFileSync(file, `${now - last}\n`);
    last = processorTime();
    setTimeout(turn, 1).unref();
  };
  turn();
}
