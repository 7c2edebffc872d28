import picocolors from "picocolors";
import type { Terminal } from "../command/command.js";
import type { Colors } from "./columns.js";

/** Functions that color text on this terminal. */
export function colorsOf({ colors }: Pick<Terminal, "colors">): Colors {
  return picocolors.createColors(colors);
}
