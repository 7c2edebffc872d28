export { inProcess, type InProcessOptions } from "./in-process.js";
