import { completeSetup, completeSetupInput, setupNeeded } from "@/server/services/identity";
import { requestInfo } from "../context";
import { procedure, router } from "../trpc";

/** The first run, before anyone can sign in: authorized by the one-time token of the printed link. */
export const setupRouter = router({
  status: procedure.query(async ({ ctx }) => ({ needed: await setupNeeded(ctx.db) })),
  complete: procedure
    .input(completeSetupInput)
    .mutation(({ ctx, input }) => completeSetup(ctx.db, input, requestInfo(ctx))),
});
