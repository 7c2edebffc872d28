import { processOperator } from "@fettle/process";

export { Process } from "@fettle/process";

// For a demonstration, processes end with Fettle. By default they keep running, and the next start adopts them. Without Linux, the
// object of the example is stored and nothing runs it.
export default process.platform === "linux" ? processOperator({ onExit: "stop" }) : undefined;
