import { z } from "zod";
import { auditedAccountWrite, auditedInstallationWrite, auditedWrite } from "./audit";
import type { Capability, InstallationRight } from "./capabilities";
import { type AccountCtx, type Ctx, hasCapability, type InstallationCtx, requireCapability } from "./context";
import { refuseInsideTransaction } from "./database/inside-transaction";
import { beginOperation } from "./event-loop/operations";
import { requireRight } from "./installation-rights";
import { logger } from "./logging/log";
import { loggable } from "./logging/loggable";
import { isFrozenObject, memoizeByFrozenObject } from "./memoize";

export type Effect = "read" | "write";

type Spec<Input extends z.ZodType, Reply extends z.ZodType, E extends Effect = Effect> = {
  /** `<subject>.<action>`, unique: the operation id of `/v1`, the key of the sweep test. */
  name: string;
  /** One sentence for the reference. */
  summary: string;
  /** What a caller needs to know beyond the summary: what the reply contains, its order and limits, errors worth knowing. */
  description?: string;
  /** Writes are subject to same-origin checks, audit and idempotency. */
  effect: E;
  input: Input;
  reply: Reply;
};

/** An operation of `/v1` says more than its summary, as any program may call it. */
type Described = { description: string };

/** For a read that clients repeat: `/v1` responds with an ETag, and with a 304 while the reply is the one that they have. */
type Revalidated = { revalidated?: true };

/** For a write: the reduced reply for a caller who may not read what it changed. */
type WriteOnly = {
  writeOnlyReply?:
    | { /** Any one of these grants the full reply. */ unless: readonly Capability[]; reply: z.ZodType }
    | undefined;
};

/**
 * A write with work outside its transaction, such as a call to another service. `run` must recheck whatever may have changed
 * since `before`. After a crash `after` does not run: anything that must happen goes through the outbox.
 */
type Phases<C, Input, Reply extends z.ZodType, Prepared> = {
  /** Before the transaction. What it stores persists even when the write is refused. */
  before?: (ctx: C, input: Input) => Promise<Prepared>;
  run: (ctx: C, input: Input, prepared: Prepared) => Promise<z.input<Reply>>;
  /** After the commit. A failure is logged, and the caller still gets the reply. */
  after?: (ctx: C, input: Input, reply: z.output<Reply>, prepared: Prepared) => Promise<void>;
};

/** The implementation of an operation. Only a write has phases. */
type Work<C, Input, Reply extends z.ZodType, Prepared> =
  | ((ctx: C, input: Input) => Promise<z.input<Reply>>)
  | Phases<C, Input, Reply, Prepared>;

/** An operation whose `before` phase is done. */
type PreparedCall<C, Reply> = {
  /** Runs the transactional part on the database handle of `ctx`. Call `after` once that has committed. */
  finish(ctx: C): Promise<{ reply: Reply; after: () => Promise<void> }>;
};

/** A service operation on one project: capability, input, reply, implementation. Every door calls this. */
export type Verb<
  Input extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
  E extends Effect = Effect,
> = {
  (ctx: Ctx, input: z.input<Input>): Promise<z.output<Reply>>;
  /** For a caller with its own transaction: runs the `before` phase and returns the rest. */
  prepare(ctx: Ctx, input: z.input<Input>): Promise<PreparedCall<Ctx, z.output<Reply>>>;
  spec: Spec<Input, Reply, E> &
    Described &
    WriteOnly &
    Revalidated & { scope: "project"; capability: readonly Capability[] };
};

/** A service operation of a signed-in person outside any project. */
export type AccountVerb<
  Input extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
  E extends Effect = Effect,
> = {
  (ctx: AccountCtx, input: z.input<Input>): Promise<z.output<Reply>>;
  spec: Spec<Input, Reply, E> & { scope: "account" };
};

/** A service operation on the installation, for people with the right and for the operator. */
export type InstallationVerb<
  Input extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
  E extends Effect = Effect,
> = {
  (ctx: InstallationCtx, input: z.input<Input>): Promise<z.output<Reply>>;
  spec: Spec<Input, Reply, E> & { scope: "installation"; right: InstallationRight };
};

/** Large replies shared by many callers are validated once. */
const parsers = new WeakMap<z.ZodType, (reply: object) => unknown>();

function replyOf<Reply extends z.ZodType>(schema: Reply, reply: z.input<Reply>): z.output<Reply> {
  if (!isFrozenObject(reply)) return schema.parse(reply);
  let parse = parsers.get(schema);
  if (!parse) {
    parse = memoizeByFrozenObject((value) => Object.freeze(schema.parse(value)));
    parsers.set(schema, parse);
  }
  return parse(reply) as z.output<Reply>;
}

/** Runs the work and checks its reply. Wraps a `ZodError`, which doors report as invalid input: here it is our bug. */
export async function withCheckedReply<Reply extends z.ZodType>(
  spec: Spec<z.ZodType, Reply>,
  run: () => Promise<z.input<Reply>>,
) {
  const end = beginOperation(spec.name);
  try {
    return replyOf(spec.reply, await run());
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new Error(`${spec.name} violates its reply schema: ${z.prettifyError(error)}`, {
      cause: error.message,
    });
  } finally {
    end();
  }
}

/** Opens the transaction of a write on the given context and runs the work in it. */
type Write<C, Reply> = (ctx: C, work: (tx: C) => Promise<Reply>) => Promise<Reply>;

/** Runs the `before` phase of an operation and returns the rest. */
async function prepareCall<C, Input extends z.ZodType, Reply extends z.ZodType, Prepared>(
  spec: Spec<Input, Reply>,
  work: Work<C, z.output<Input>, Reply, Prepared>,
  ctx: C,
  input: z.output<Input>,
  write: Write<C, z.output<Reply>>,
): Promise<PreparedCall<C, z.output<Reply>>> {
  const phases: Phases<C, z.output<Input>, Reply, Prepared> = typeof work === "function" ? { run: work } : work;
  const { before, run, after } = phases;
  if (before || after) refuseInsideTransaction(`${spec.name} was called`);
  const prepared = (await before?.(ctx, input)) as Prepared;
  const inside = (on: C) => withCheckedReply(spec, () => run(on, input, prepared));
  return {
    async finish(on) {
      const reply = await (spec.effect === "read" ? inside(on) : write(on, inside));
      const follow = async () => {
        await after?.(ctx, input, reply, prepared).catch((error: unknown) => {
          logger("verbs").error({ err: loggable(error), verb: spec.name }, "The `after` phase of a write failed.");
        });
      };
      return { reply, after: follow };
    },
  };
}

async function runToEnd<C, Reply>(ctx: C, { finish }: PreparedCall<C, Reply>): Promise<Reply> {
  const { reply, after } = await finish(ctx);
  await after();
  return reply;
}

/** A read has no transaction, and so no phases around one. */
function requireWrite({ name, effect }: Spec<z.ZodType, z.ZodType>, work: unknown) {
  if (effect === "read" && typeof work !== "function") throw new Error(`${name} is a read: only writes have phases.`);
}

/**
 * Declares an operation on a project. A call checks the capability (any one of those listed suffices), parses the input (a
 * `ZodError` lists every problem), runs, and strips the reply to its schema or, for a caller who may only write, to
 * `writeOnlyReply`. A write runs in one transaction with its audit row, which `auditNote` adds details to.
 */
export function verb<Input extends z.ZodType, Reply extends z.ZodType, Prepared, E extends Effect>(
  spec: Spec<Input, Reply, E> &
    Described &
    WriteOnly &
    Revalidated & { capability: Capability | readonly Capability[] },
  work: Work<Ctx, z.output<Input>, Reply, Prepared>,
): Verb<Input, Reply, E> {
  requireWrite(spec, work);
  const capability = typeof spec.capability === "string" ? [spec.capability] : spec.capability;
  // Members who may write may also read, so only API keys get the reduced form; the OpenAPI document has both.
  const shown = (ctx: Ctx, reply: z.output<Reply>) =>
    spec.writeOnlyReply === undefined || hasCapability(ctx, spec.writeOnlyReply.unless)
      ? reply
      : (spec.writeOnlyReply.reply.parse(reply) as typeof reply);
  const prepare = async (ctx: Ctx, input: z.input<Input>): Promise<PreparedCall<Ctx, z.output<Reply>>> => {
    requireCapability(ctx, capability);
    const parsed = spec.input.parse(input);
    const write: Write<Ctx, z.output<Reply>> = (on, run) => auditedWrite(on, spec.name, parsed, run);
    const { finish } = await prepareCall(spec, work, ctx, parsed, write);
    return {
      async finish(on) {
        const { reply, after } = await finish(on);
        return { reply: shown(ctx, reply), after };
      },
    };
  };
  const call = async (ctx: Ctx, input: z.input<Input>) => runToEnd(ctx, await prepare(ctx, input));
  return Object.assign(call, { prepare, spec: { ...spec, capability, scope: "project" as const } });
}

/** Declares an operation of a signed-in person outside any project. A write is audited. */
export function accountVerb<Input extends z.ZodType, Reply extends z.ZodType, Prepared, E extends Effect>(
  spec: Spec<Input, Reply, E>,
  work: Work<AccountCtx, z.output<Input>, Reply, Prepared>,
): AccountVerb<Input, Reply, E> {
  requireWrite(spec, work);
  const call = async (ctx: AccountCtx, input: z.input<Input>) => {
    const parsed = spec.input.parse(input);
    const write: Write<AccountCtx, z.output<Reply>> = (on, run) => auditedAccountWrite(on, spec.name, parsed, run);
    return runToEnd(ctx, await prepareCall(spec, work, ctx, parsed, write));
  };
  return Object.assign(call, { spec: { ...spec, scope: "account" as const } });
}

/** Declares an operation on the installation. A call checks the right before it parses the input. */
export function installationVerb<Input extends z.ZodType, Reply extends z.ZodType, Prepared, E extends Effect>(
  spec: Spec<Input, Reply, E> & { right: InstallationRight },
  work: Work<InstallationCtx, z.output<Input>, Reply, Prepared>,
): InstallationVerb<Input, Reply, E> {
  requireWrite(spec, work);
  const call = async (ctx: InstallationCtx, input: z.input<Input>) => {
    await requireRight(ctx, spec.right);
    const parsed = spec.input.parse(input);
    const write: Write<InstallationCtx, z.output<Reply>> = (on, run) =>
      auditedInstallationWrite(on, spec.name, parsed, run);
    return runToEnd(ctx, await prepareCall(spec, work, ctx, parsed, write));
  };
  return Object.assign(call, { spec: { ...spec, scope: "installation" as const } });
}
