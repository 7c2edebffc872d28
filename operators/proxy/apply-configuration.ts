import { duration } from "fettle";
import type { ReconcileContext } from "fettle/runtime";
import { fileDiff } from "./file-diff.js";
import { NotServed, type CheckResult, type ProxyDriver, type ProxyState } from "./driver/driver.js";
import type { ProxyClass, ProxyClassObject } from "./kinds/proxy.js";
import type { RenderedConfiguration } from "./nginx/rendered.js";

type ClassContext = Pick<ReconcileContext<typeof ProxyClass, never>, "step">;

export interface ApplyOptions {
  readonly proxyClass: ProxyClassObject;
  readonly driver: ProxyDriver;
  /** State before. */
  readonly state: ProxyState;
  readonly rendered: RenderedConfiguration;
  readonly ports: readonly number[];
  readonly context: ClassContext;
  /** Called once the configuration is active: starts nginx, if that is the operator's task. */
  readonly start: () => Promise<void>;
}

/** nginx refuses a configuration. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly reason = "Refused";
  readonly check: Extract<CheckResult, { ok: false }>;

  constructor(check: Extract<CheckResult, { ok: false }>) {
    super(`nginx refuses the configuration: ${check.message}`);
    this.check = check;
  }
}

/**
 * Brings a configuration into service, in steps: it is written, checked, activated, loaded and verified. If nginx does not serve
 * it, the steps are undone: nginx returns to the last configuration that it served.
 *
 * @throws {Refused} if nginx refuses the files; nothing has changed then.
 */
export async function applyConfiguration(options: ApplyOptions): Promise<number> {
  const { proxyClass, driver, state, rendered, ports, context, start } = options;
  const { step } = context;
  const { active, pid, edited } = state;
  const isStaged = active?.digest === rendered.digest && edited.length === 0;
  const generation = isStaged ? active.number : await stage(options);
  const timeout = duration(proxyClass.spec.verifyTimeout);
  const reload = pid === undefined ? `start nginx with configuration ${generation}` : "reload nginx";
  await step(
    `activate configuration ${generation}`,
    { undo: (signal) => returnToGood(driver, generation, { timeout, signal }) },
    () => driver.activate(generation),
  );
  await step(reload, async () => {
    await start();
    await driver.reload();
  });
  await step(`verify that nginx serves configuration ${generation}`, (signal) =>
    driver.verify(generation, ports, { timeout, signal }),
  );
  await step(`keep configuration ${generation} as the last good one`, async () => {
    await driver.markGood(generation);
    await driver.prune();
  });
  return generation;
}

/** Writes and checks a new generation. */
async function stage({ driver, state, rendered, context: { step } }: ApplyOptions): Promise<number> {
  const planned = state.newest + 1;
  const detail = async (): Promise<string> => {
    const before = state.active && (await driver.read(state.active.number));
    return fileDiff(before ?? new Map(), rendered.files);
  };
  const generation = await step("write configuration", { planned, detail }, async () => {
    const staged = await driver.stage(rendered.files, rendered.digest);
    // Here as well as at the end, so that attempts which fail again and again do not fill the disk.
    await driver.prune();
    return staged;
  });
  const check = await step(`check configuration ${generation}`, { planned: { ok: true } }, (signal) =>
    driver.check(generation, signal),
  );
  if (!check.ok) throw new Refused(check);
  return generation;
}

/** Activates the last good configuration again, and waits until nginx serves it. */
async function returnToGood(
  driver: ProxyDriver,
  failed: number,
  options: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<void> {
  const { good } = await driver.inspect(options.signal);
  if (good === undefined || good.number === failed) {
    throw new Error("there is no earlier configuration to return to");
  }
  await driver.activate(good.number);
  const isRunning = await driver.reload();
  if (!isRunning) return;
  try {
    await driver.verify(good.number, [], options);
  } catch (error) {
    // nginx that is starting again loads the active configuration.
    if (!(error instanceof NotServed && error.reason === "NotRunning")) throw error;
  }
}
