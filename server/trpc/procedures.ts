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
/** zod's type of an object without fields has an index signature, with which `projectId` would contradict. */
type WithProject<Input> = string extends keyof Input ? Project : Input & Project;
// biome-ignore lint/suspicious/noConfusingVoidType: only a parameter that may be void can be left out of a call.
type OrNothing<Input> = string extends keyof Input ? Input | void : Input;

type QueryOf<Input, Reply> = TRPCQueryProcedure<{ input: Input; output: Reply; meta: unknown }>;
type MutationOf<Input, Reply> = TRPCMutationProcedure<{ input: Input; output: Reply; meta: unknown }>;

function takenIn(input: unknown): Record<string, unknown> {
  const given = input ?? {};
  if (typeof given !== "object" || Array.isArray(given)) throw new ServiceError("invalid", "Send an object.");
  requireStorable(given);
  // `useInfiniteQuery` adds a direction to the input; `null` is its word for the first page.
  const { direction: _, ...rest } = given as Record<string, unknown>;
  if (rest.cursor === null) delete rest.cursor;
  return rest;
}

function splitProject(input: unknown) {
  const { projectId, ...rest } = takenIn(input);
  if (typeof projectId !== "string") {
    const errors = [{ path: "/projectId", message: "Say which project." }];
    throw new ServiceError("invalid", "The request is not valid.", { errors });
  }
  return { projectId, rest };
}

/** A verb of another effect behind this procedure would escape the same-origin check, or be sent twice by a retry. */
function requireEffect(spec: { name: string; effect: "read" | "write" }, effect: "read" | "write") {
  if (spec.effect !== effect) throw new Error(`${spec.name} has the effect "${spec.effect}", not "${effect}".`);
}

/** Before the input: for whoever has not signed in, nothing of it is parsed. */
const signedIn = procedure.use(({ ctx, next }) => next({ ctx: { session: requireSession(ctx.session) } }));

const inProject = <I extends z.ZodType, R extends z.ZodType>(verb: Verb<I, R>) =>
  signedIn.input(splitProject).use(async ({ ctx, input, next }) =>
    // The verb checks the capability and parses: nothing about the input is known here but its project.
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
    .input(takenIn)
    .use(async ({ ctx, input, next }) =>
      next({ ctx: { call: () => verb(accountCtx(ctx.db, ctx.session, requestInfo(ctx)), input as z.input<I>) } }),
    );

/** A verb that reads, asked with its own input and `projectId`. */
export function query<I extends z.ZodType, R extends z.ZodType>(verb: Verb<I, R>) {
  requireEffect(verb.spec, "read");
  const built = inProject(verb)
    .meta({ verb: verb.spec.name })
    .query(({ ctx }) => ctx.call());
  return built as unknown as QueryOf<WithProject<z.input<I>>, z.output<R>>;
}

/** A verb that changes something, asked with its own input and `projectId`. */
export function mutation<I extends z.ZodType, R extends z.ZodType>(verb: Verb<I, R>) {
  requireEffect(verb.spec, "write");
  const built = inProject(verb)
    .meta({ verb: verb.spec.name })
    .mutation(({ ctx }) => ctx.call());
  return built as unknown as MutationOf<WithProject<z.input<I>>, z.output<R>>;
}

/** A verb that reads what is the signed-in person's own, or of the installation. */
export function accountQuery<I extends z.ZodType, R extends z.ZodType>(
  verb: AccountVerb<I, R> | InstallationVerb<I, R>,
) {
  requireEffect(verb.spec, "read");
  const built = inAccount(verb)
    .meta({ verb: verb.spec.name })
    .query(({ ctx }) => ctx.call());
  return built as unknown as QueryOf<OrNothing<z.input<I>>, z.output<R>>;
}

/** A verb that changes what is the signed-in person's own, or of the installation. */
export function accountMutation<I extends z.ZodType, R extends z.ZodType>(
  verb: AccountVerb<I, R> | InstallationVerb<I, R>,
) {
  requireEffect(verb.spec, "write");
  const built = inAccount(verb)
    .meta({ verb: verb.spec.name })
    .mutation(({ ctx }) => ctx.call());
  return built as unknown as MutationOf<OrNothing<z.input<I>>, z.output<R>>;
}
