import {
  completeSetup,
  completeSetupInput,
  findPasswordReset,
  forgotPassword,
  resetPassword,
  setupNeeded,
} from "@/server/services/identity";
import { forgotPasswordInput, resetPasswordInput } from "@/server/services/identity/schemas";
import { findInvitation, joinByInvitation, joinInput, tokenInput } from "@/server/services/members";
import { signInMethods } from "@/server/services/single-sign-on";
import { requestInfo } from "./context";
import { procedure } from "./trpc";

/** The first run, before anyone can sign in: authorized by the one-time token of the printed link. */
const setup = {
  status: procedure.query(async ({ ctx }) => ({ needed: await setupNeeded(ctx.db) })),
  complete: procedure
    .input(completeSetupInput)
    .mutation(({ ctx, input }) => completeSetup(ctx.db, input, requestInfo(ctx))),
};

const signIn = { ways: procedure.query(() => signInMethods()) };

/**
 * For people with a one-time link: the token authorizes them, as in the first run. Look-ups are mutations, because a
 * query's input is part of its URL, and URLs are logged.
 */
const links = {
  invitation: procedure
    .input(tokenInput)
    .mutation(async ({ ctx, input }) => ({ invitation: await findInvitation(ctx.db, input.token) })),
  passwordReset: procedure
    .input(tokenInput)
    .mutation(async ({ ctx, input }) => ({ email: (await findPasswordReset(ctx.db, input.token))?.email ?? null })),
  join: procedure.input(joinInput).mutation(({ ctx, input }) => joinByInvitation(ctx.db, input, requestInfo(ctx))),
  forgotPassword: procedure
    .input(forgotPasswordInput)
    .mutation(({ ctx, input }) => forgotPassword(ctx.db, input, requestInfo(ctx))),
  resetPassword: procedure
    .input(resetPasswordInput)
    .mutation(({ ctx, input }) => resetPassword(ctx.db, input, requestInfo(ctx))),
};

/** Procedures before anybody has signed in, which no verb stands behind. */
export const anonymous = { setup, signIn, links };
