import { widgetController } from "./runtime-widgets.js";

/** Module for `fettle run` in the memory benchmark; the namespace is an option of the command. */
export const widgets = widgetController({ parts: true });
