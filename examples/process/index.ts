import { processOperator } from "@fettle/process";

// For a demonstration, processes end with Fettle. By default they keep running, and the next start adopts them.
export default processOperator({ onExit: "stop" });
