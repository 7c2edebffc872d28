import type { Command } from "../command/command.js";
import { events } from "./debug/events.js";
import { profile } from "./debug/profile.js";
import { state } from "./debug/state.js";
import { trace } from "./debug/trace.js";

export const command: Command = {
  description:
    "Inspect a control plane: the stream of changes, stored data, runs with their steps, CPU and memory usage.",
  examples: [
    ["fettle debug events --tail 20 -f", "the last changes, then new ones"],
    ["fettle debug state --key 'sites/*'", "stored keys"],
    ["fettle debug trace --component reconciler -f", "runs with their steps as they end"],
    ["fettle debug profile --duration 60", "a CPU profile of one minute"],
    ["fettle debug profile --heap", "what allocates memory"],
  ],
  commands: { events, state, trace, profile },
};
