import { widgetController } from "./runtime-widgets.js";

/** What `fettle run` runs where a process of controllers alone is measured; its namespace comes with the command. */
export const widgets = widgetController({ parts: true });
