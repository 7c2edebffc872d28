/** Tools for the commands of operators. What they do is loaded when they are called. */
export type {
  Command,
  CommandEntry,
  CommandOption,
  OptionValues,
  Terminal,
} from "../plane/operators/command.js";
export { UsageError } from "./command/command.js";
export {
  connectionOptions,
  countOption,
  durationOption,
  listOption,
  selectionOptions,
  textOption,
} from "./command/options.js";
export { connect, type ServerConnection } from "./server/connect.js";
export type { ServedKind } from "./server/served-kinds.js";
export {
  getObject,
  resolveObject,
  resolveObjects,
  type NamedObjects,
  type ObjectSelection,
  type ResolvedObject,
  type ResolvedObjects,
} from "./objects/resolve-objects.js";
export { colorsOf } from "./terminal/colors-of.js";
export { columns, headerRow, type Colors, type TableCell } from "./terminal/columns.js";
export { startProgress, type Progress } from "./terminal/progress.js";
export { writeOut } from "./terminal/write-out.js";
