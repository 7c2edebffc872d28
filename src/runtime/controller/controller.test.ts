import { describe, expect, test } from "vitest";
import { z } from "zod";
import { resource } from "../../model/index.js";
import { controller, type Controller, type ControllerOptions } from "./controller.js";
import { plainController } from "./plain.js";

const Site = resource("demo.dev/v1", "Site", { spec: z.object({}) });
const reconcile = (): void => {};

type Make = (
  options: Pick<ControllerOptions<typeof Site, readonly [], never>, "for" | "concurrency" | "resync">,
) => Controller;
const styles: readonly [string, Make][] = [
  ["controller", (options) => controller({ ...options, reconcile })],
  ["plainController", (options) => plainController({ ...options, reconcile })],
];

describe.each(styles)("%s refuses where it is given", (_, make) => {
  test.each([0, -1, 1.5, NaN])("a concurrency of %d, with which nothing would run", (concurrency) => {
    expect(() => make({ for: Site, concurrency })).toThrow(
      `invalid concurrency ${concurrency} of controller sites.demo.dev: use an integer of at least 1`,
    );
  });

  test("a resync without a pause", () => {
    expect(() => make({ for: Site, resync: 0 })).toThrow(
      "invalid resync 0 of controller sites.demo.dev: use a duration, or false to disable it",
    );
    expect(make({ for: Site, resync: false, concurrency: 1 }).name).toBe("sites.demo.dev");
  });
});
