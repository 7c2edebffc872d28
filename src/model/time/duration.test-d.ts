import { expectTypeOf } from "vitest";
import type { Duration } from "./duration.js";

declare function takes(value: Duration): void;

takes(250);
takes("5m");
takes("1h30m");
takes("250ms");
takes("1.5s");
takes("2d");
takes("1w2d3h4m5s6ms");
takes("10us");

// @ts-expect-error units are abbreviated
takes("5 minutes");
// @ts-expect-error no such unit
takes("5y");
// @ts-expect-error a number in quotes has no unit
takes("250");
// @ts-expect-error a unit without a number
takes("m");
// @ts-expect-error empty
takes("");
// @ts-expect-error units descend
takes("30m1h");

expectTypeOf<string>().not.toExtend<Duration>();
