export type * from "./driver/driver.js";
