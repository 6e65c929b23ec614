import type { TRPCMutationProcedure, TRPCQueryProcedure } from "@trpc/server";
import type { z } from "zod";
import { accountCtx, ctxForSession, requireSession } from "@/server/auth/session-context";
import type { Row } from "@/server/operations/row";
import { requireStorable } from "@/server/platform/database/storable";
import { ServiceError } from "@/server/platform/errors";
import type { AccountVerb, Effect, InstallationVerb, Verb } from "@/server/platform/verb";
import { requestLimits } from "@/server/services/rate-limits";
import { requestInfo } from "./context";
import { procedure } from "./trpc";

type Project = { projectId: string };
/** zod's type of an object without fields has an index signature, which `projectId` would contradict. */
type WithProject<Input> = string extends keyof Input ? Project : Input & Project;
// biome-ignore lint/suspicious/noConfusingVoidType: only a parameter that may be void can be left out of a call.
type OrNothing<Input> = string extends keyof Input ? Input | void : Input;

type Procedure<E extends Effect, Input, Reply> = E extends "read"
  ? TRPCQueryProcedure<{ input: Input; output: Reply; meta: unknown }>
  : TRPCMutationProcedure<{ input: Input; output: Reply; meta: unknown }>;

/** The input of a verb on a project gains `projectId`. */
type ProcedureOf<V> =
  V extends Verb<infer I, infer R, infer E>
    ? Procedure<E, WithProject<z.input<I>>, z.output<R>>
    : V extends AccountVerb<infer I, infer R, infer E> | InstallationVerb<infer I, infer R, infer E>
      ? Procedure<E, OrNothing<z.input<I>>, z.output<R>>
      : never;

type PageVerb = Verb | AccountVerb | InstallationVerb;
type Table = Record<string, Record<string, Row>>;
type ProceduresOf<T extends Table> = {
  [Subject in keyof T]: {
    [Action in keyof T[Subject] as T[Subject][Action] extends Row<{ spec: { kind: "stream" } }>
      ? never
      : Action]: T[Subject][Action] extends Row<infer V> ? ProcedureOf<V> : never;
  };
};

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

/** A write behind a query would bypass the same-origin check and be repeated by client retries. */
function served(verb: PageVerb) {
  const built = "prepare" in verb ? inProject(verb as Verb) : inAccount(verb as AccountVerb);
  const named = built.meta({ verb: verb.spec.name });
  return verb.spec.effect === "read" ? named.query(({ ctx }) => ctx.call()) : named.mutation(({ ctx }) => ctx.call());
}

/** Returns the procedures of a table's rows, by subject and action: of all but streams, which have `/v1` only. */
export const proceduresOf = <T extends Table>(table: T) =>
  Object.fromEntries(
    Object.entries(table).map(([subject, rows]) => [
      subject,
      Object.fromEntries(
        Object.entries(rows).flatMap(([action, { verb }]) =>
          "kind" in verb.spec ? [] : [[action, served(verb as PageVerb)] as const],
        ),
      ),
    ]),
  ) as unknown as ProceduresOf<T>;
