import { expect } from "vitest";
import { ControllerProcess, EffectsFile } from "./controller-process.js";
import { overlapping, unfinished } from "./effects.js";
import { Onlooker } from "./onlooker.js";
import { testWithDice, type Dice } from "./seed.js";
import { startSiteServer, type SiteServer } from "./site-server.js";
import { differences } from "./sites.js";
import { Workload } from "./workload.js";

/** Number of kills; a plain test run does only a few. */
const kills = Number(process.env["FETTLE_KILLS"] ?? 10);

/** Kills at the n-th request: before the server gets it, while it is pending, or after the response. */
function killAtRequest({ proxy }: SiteServer, dice: Dice, kill: () => void): void {
  const when = dice.pick(["before", "meanwhile", "after"]);
  let left = 1 + dice.below(40);
  proxy.plan = ({ isWatch }) => {
    if (isWatch || --left !== 0 || when === "after") return undefined;
    kill();
    return when === "before" ? { type: "drop" } : undefined;
  };
  proxy.onAnswered = ({ isWatch }) => {
    if (!isWatch && left <= 0 && when === "after") kill();
  };
}

testWithDice(
  `a controller that is killed ${kills} times at random points completes all work`,
  async (dice) => {
    await using home = await startSiteServer();
    const { proxy, direct, server } = home;
    await using onlooker = await Onlooker.open(direct);
    using effects = new EffectsFile();
    const kubeconfig = effects.kubeconfig(server.kubeconfig, proxy.url, "proxy");
    const workload = new Workload(direct, dice);
    const killed = { request: 0, time: 0 };
    for (let round = 0; round < kills; round++) {
      const takes = dice.below(20);
      await using controller = new ControllerProcess({ kubeconfig, who: `process ${round}`, takes }, effects);
      let dead = false;
      const kill = (how: keyof typeof killed): void => {
        if (dead) return;
        dead = true;
        killed[how]++;
        controller.kill("SIGKILL");
      };
      // At a request; or before it has done anything, in the middle, or when it is idle.
      const atRequest = dice.chance(0.7);
      if (atRequest) killAtRequest(home, dice, () => kill("request"));
      const latest = atRequest ? 2500 : dice.pick([100, 600, 900, 1200]) + dice.below(300);
      const timer = setTimeout(() => kill("time"), latest);
      for (let turn = 0; turn < 4; turn++) await workload.turn();
      await Promise.race([controller.ready, controller.exited]);
      // From here on, both processes work at the same time.
      while (!dead) {
        await workload.turn();
        await Promise.race([proxy.next(), controller.exited]);
      }
      const { signal } = await controller.exited;
      clearTimeout(timer);
      expect(signal, controller.stderr).toBe("SIGKILL");
      proxy.plan = () => undefined;
      proxy.onAnswered = () => {};
      if ((round + 1) % 25 === 0) console.log(`  killed ${round + 1} of ${kills} times`, killed);
    }
    await using last = new ControllerProcess({ kubeconfig, who: "the last process", takes: 0 }, effects);
    await Promise.race([
      onlooker.until(
        () => [
          ...differences(workload.expected, onlooker.sites, onlooker.pages),
          ...unfinished(effects.all(), onlooker.sites),
        ],
        effects,
      ),
      last.exited.then(() => Promise.reject(new Error(`the last process ended:\n${last.stderr}`))),
    ]);
    expect(overlapping(effects.all(), { dead: true })).toEqual([]);
    expect(workload.deleted.size).toBeGreaterThan(0);
    last.kill("SIGTERM");
    expect(await last.exited, last.stderr).toEqual({ code: 0, signal: null });
  },
  60_000 + kills * 5000,
);
