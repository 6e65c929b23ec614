import { serversOf } from "../../testbed/servers/model-servers";
import type { Trainer } from "../../testbed/servers/real-trainer";
import { victimsOf } from "../chaos/victims";

export const VICTIMS = ["web", "worker", "trainer", "model's server"] as const;
export type Victim = (typeof VICTIMS)[number];

type Service = Awaited<ReturnType<Trainer["start"]>>;

/** Finds and kills the processes that a deployment needs. Also restarts the trainer, because nothing else does. */
export function deployVictimsOf(
  product: { url: string; dataDir: string },
  trainer: Trainer,
  first: Service,
  random: () => number,
) {
  const ofProduct = victimsOf(product, random);
  let service = first;
  let away = 0;
  let isTrainerAway = false;

  /** Kills the victim; returns a promise of the milliseconds until it is back (null: never), or undefined if there is none. */
  function kill(victim: Victim, restartAfterMs: number): Promise<number | null> | undefined {
    const begun = performance.now();
    const isBack = (ms: number | null) => {
      away -= 1;
      return ms;
    };
    if (victim === "model's server") {
      const servers = serversOf(trainer.home);
      const one = servers[Math.floor(random() * servers.length)];
      if (!one) return undefined;
      process.kill(one.pid, "SIGKILL");
      return Promise.resolve(0);
    }
    if (victim === "trainer") {
      if (isTrainerAway) return undefined;
      isTrainerAway = true;
      away += 1;
      return service
        .kill()
        .then(() => new Promise((resolve) => setTimeout(resolve, restartAfterMs)))
        .then(() => trainer.start(product))
        .then(
          (started) => {
            service = started;
            isTrainerAway = false;
            return isBack(performance.now() - begun);
          },
          () => null,
        );
    }
    const pid = ofProduct.kill(victim);
    if (!pid) return undefined;
    away += 1;
    return ofProduct.back(victim, pid).then(isBack);
  }

  return {
    kill,
    /** Whether every killed process is back. Does not cover a model's server, whose loss the trainer has to notice. */
    isAllThere: () => away === 0,
    stopTrainer: () => service.stop(),
  };
}
