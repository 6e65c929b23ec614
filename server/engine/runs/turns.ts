import type { Logger } from "@/server/platform/logging/log";
import type { Claim } from "./claim";
import { LeaseLost, type TurnContext, takeTurn } from "./turn";

type Options = { log: Logger; onEnd: () => void };

/** Creates the set of turns that this process is running. */
export function createTurns(context: TurnContext, { log, onEnd }: Options) {
  const turns = new Map<string, { claim: Claim; end: Promise<void> }>();
  return {
    count: () => turns.size,
    claims: () => [...turns.values()].map(({ claim }) => claim),

    begin(claim: Claim) {
      const end = takeTurn(context, claim)
        .catch((error: unknown) => {
          // The run is safe: its lease expires and it is reclaimed, a limited number of times.
          if (error instanceof LeaseLost)
            log.debug({ run: claim.runId }, "A turn was dropped because its lease was lost.");
          else log.error({ run: claim.runId, err: error }, "A turn could not be finished.");
        })
        .finally(() => {
          turns.delete(claim.runId);
          onEnd();
        });
      turns.set(claim.runId, { claim, end });
    },

    /** Resolves when all turns have ended, or after `graceMs`. */
    async drain(graceMs: number) {
      let timer: NodeJS.Timeout | undefined;
      const grace = new Promise((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      await Promise.race([Promise.all([...turns.values()].map(({ end }) => end)), grace]);
      clearTimeout(timer);
    },
  };
}
