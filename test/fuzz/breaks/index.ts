import { addressBreaks } from "./addresses.js";
import type { Break } from "./break.js";
import { byteBreaks } from "./bytes.js";
import { definitionBreaks } from "./definitions.js";
import { headerBreaks } from "./headers.js";
import { patchBreaks } from "./patches.js";
import { protobufBreaks } from "./protobuf.js";
import { queryBreaks } from "./query.js";
import { valueBreaks } from "./values.js";

/** All breaks, in the order in which they are applied: each works whatever those before it have changed. */
export const breaks: readonly Break[] = [
  ...definitionBreaks,
  ...patchBreaks,
  ...valueBreaks,
  ...protobufBreaks,
  ...byteBreaks,
  ...queryBreaks,
  ...addressBreaks,
  ...headerBreaks,
];
