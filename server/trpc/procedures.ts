import type { TRPCMutationProcedure, TRPCQueryProcedure } from "@trpc/server";
import type { z } from "zod";
import { accountCtx, ctxForSession, requireSession } from "@/server/auth/session-context";
import { requireStorable } from "@/server/platform/database/storable";
import { ServiceError } from "@/server/platform/errors";
import type { AccountVerb, InstallationVerb, Verb } from "@/server/platform/verb";
import { requestLimits } from "@/server/services/rate-limits";
import { requestInfo } from "./context";
import { procedure } from "./trpc";

type Project = { projectId: string };
/** zod's type of an object without fields has an index signature, which `projectId` would contradict. */
type WithProject<Input> = string extends keyof Input ? Project : Input & Project;
// biome-ignore lint/suspicious/noConfusingVoidType: only a parameter that may be void can be left out of a call.
type OrNothing<Input> = string extends keyof Input ? Input | void : Input;

type QueryOf<Input, Reply> = TRPCQueryProcedure<{ input: Input; output: Reply; meta: unknown }>;
type MutationOf<Input, Reply> = TRPCMutationProcedure<{ input: Input; output: Reply; meta: unknown }>;

function checkedInput(input: unknown): Record<string, unknown> {
  const given = input ?? {};
  if (typeof given !== "object" || Array.isArray(given)) throw new ServiceError("invalid", "Send an object.");
  requireStorable(given);
  // `useInfiniteQuery` adds `direction` to the input and sends a `null` cursor for the first page.
  const { direction: _, ...rest } = given as Record<string, unknown>;
  if (rest.cursor === null) delete rest.cursor;
  return rest;
}

function splitProject(input: unknown) {
  const { projectId, ...rest } = checkedInput(input);
  if (typeof projectId !== "string") {
    const errors = [{ path: "/projectId", message: "Is required." }];
    throw new ServiceError("invalid", "The request is not valid.", { errors });
  }
  return { projectId, rest };
}

/** A write behind a query would bypass the same-origin check and be repeated by client retries. */
function requireEffect(spec: { name: string; effect: "read" | "write" }, effect: "read" | "write") {
  if (spec.effect !== effect) throw new Error(`${spec.name} has the effect "${spec.effect}", not "${effect}".`);
}

/** Runs before the input is parsed, so that nothing of it is parsed for anonymous callers. */
const signedIn = procedure.use(({ ctx, next }) => next({ ctx: { session: requireSession(ctx.session) } }));

const inProject = <I extends z.ZodType, R extends z.ZodType>(verb: Verb<I, R>) =>
  signedIn.input(splitProject).use(async ({ ctx, input, next }) =>
    // The verb checks the capability and parses the rest of the input.
    next({
      ctx: {
        call: async () => {
          const member = await ctxForSession(ctx.db, ctx.session, input.projectId, requestInfo(ctx));
          await ctx.limiter.spend(member.db, member.projectId, requestLimits(member.actor), 1);
          return verb(member, input.rest as z.input<I>);
        },
      },
    }),
  );

const inAccount = <I extends z.ZodType, R extends z.ZodType>(verb: AccountVerb<I, R> | InstallationVerb<I, R>) =>
  signedIn
    .input(checkedInput)
    .use(async ({ ctx, input, next }) =>
      next({ ctx: { call: () => verb(accountCtx(ctx.db, ctx.session, requestInfo(ctx)), input as z.input<I>) } }),
    );

/** Returns the procedure of a reading verb; its input is the verb's plus `projectId`. */
export function query<I extends z.ZodType, R extends z.ZodType>(verb: Verb<I, R>) {
  requireEffect(verb.spec, "read");
  const built = inProject(verb)
    .meta({ verb: verb.spec.name })
    .query(({ ctx }) => ctx.call());
  return built as unknown as QueryOf<WithProject<z.input<I>>, z.output<R>>;
}

/** Returns the procedure of a writing verb; its input is the verb's plus `projectId`. */
export function mutation<I extends z.ZodType, R extends z.ZodType>(verb: Verb<I, R>) {
  requireEffect(verb.spec, "write");
  const built = inProject(verb)
    .meta({ verb: verb.spec.name })
    .mutation(({ ctx }) => ctx.call());
  return built as unknown as MutationOf<WithProject<z.input<I>>, z.output<R>>;
}

/** Returns the procedure of a verb that reads the signed-in person's own data, or the installation's. */
export function accountQuery<I extends z.ZodType, R extends z.ZodType>(
  verb: AccountVerb<I, R> | InstallationVerb<I, R>,
) {
  requireEffect(verb.spec, "read");
  const built = inAccount(verb)
    .meta({ verb: verb.spec.name })
    .query(({ ctx }) => ctx.call());
  return built as unknown as QueryOf<OrNothing<z.input<I>>, z.output<R>>;
}

/** Returns the procedure of a verb that changes the signed-in person's own data, or the installation's. */
export function accountMutation<I extends z.ZodType, R extends z.ZodType>(
  verb: AccountVerb<I, R> | InstallationVerb<I, R>,
) {
  requireEffect(verb.spec, "write");
  const built = inAccount(verb)
    .meta({ verb: verb.spec.name })
    .mutation(({ ctx }) => ctx.call());
  return built as unknown as MutationOf<OrNothing<z.input<I>>, z.output<R>>;
}
