import { createPasswordReset, findPasswordReset, forgotPassword, resetPassword } from "@/server/services/identity";
import { forgotPasswordInput, resetPasswordInput } from "@/server/services/identity/schemas";
import {
  acceptInvitation,
  changeRole,
  findInvitation,
  inviteMember,
  joinByInvitation,
  joinInput,
  listInvitations,
  listMembers,
  removeMember,
  revokeInvitation,
  tokenInput,
  transferOwnership,
} from "@/server/services/members";
import { requestInfo } from "../context";
import { accountMutation, mutation, query } from "../procedures";
import { procedure, router } from "../trpc";

export const membersRouter = router({
  list: query(listMembers),
  changeRole: mutation(changeRole),
  remove: mutation(removeMember),
  transferOwnership: mutation(transferOwnership),
  createPasswordReset: mutation(createPasswordReset),
  invite: mutation(inviteMember),
  invitations: query(listInvitations),
  revokeInvitation: mutation(revokeInvitation),
});

/**
 * For people with a one-time link: the token authorizes them, as in the first run. Look-ups are mutations, because a
 * query's input is part of its URL, and URLs are logged.
 */
export const linksRouter = router({
  invitation: procedure
    .input(tokenInput)
    .mutation(async ({ ctx, input }) => ({ invitation: await findInvitation(ctx.db, input.token) })),
  passwordReset: procedure
    .input(tokenInput)
    .mutation(async ({ ctx, input }) => ({ email: (await findPasswordReset(ctx.db, input.token))?.email ?? null })),
  accept: accountMutation(acceptInvitation),
  join: procedure.input(joinInput).mutation(({ ctx, input }) => joinByInvitation(ctx.db, input, requestInfo(ctx))),
  forgotPassword: procedure
    .input(forgotPasswordInput)
    .mutation(({ ctx, input }) => forgotPassword(ctx.db, input, requestInfo(ctx))),
  resetPassword: procedure
    .input(resetPasswordInput)
    .mutation(({ ctx, input }) => resetPassword(ctx.db, input, requestInfo(ctx))),
});
