import { z } from "zod";
import { auditedAccountWrite, auditedInstallationWrite, auditedWrite } from "./audit";
import type { Capability, InstallationRight } from "./capabilities";
import { type AccountCtx, type Ctx, hasCapability, type InstallationCtx, requireCapability } from "./context";
import { requireRight } from "./installation-rights";
import { isKept, oncePerKept } from "./kept";

type Spec<Input extends z.ZodType, Reply extends z.ZodType> = {
  /** `<subject>.<action>`, unique: the operation id of `/v1`, the key of the sweep test. */
  name: string;
  /** One sentence for the reference. */
  summary: string;
  /** What a caller must know beyond the summary: units, statuses, effects. */
  description?: string;
  /** Whether anything changes: mutations are what same-origin checks, audit and idempotency look at. */
  effect: "read" | "write";
  input: Input;
  reply: Reply;
};

/** Of a write: the part of its reply that a caller gets who may not read what it changed. */
type Unread = {
  unread?: { /** Any one of these reads it all. */ unless: readonly Capability[]; reply: z.ZodType } | undefined;
};

/** A service operation on one project: who may, what goes in, what comes out, what happens. Every door calls this. */
export type Verb<Input extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> = {
  (ctx: Ctx, input: z.input<Input>): Promise<z.output<Reply>>;
  spec: Spec<Input, Reply> & Unread & { scope: "project"; capability: readonly Capability[] };
};

/** A service operation of a signed-in person outside any project. */
export type AccountVerb<Input extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> = {
  (ctx: AccountCtx, input: z.input<Input>): Promise<z.output<Reply>>;
  spec: Spec<Input, Reply> & { scope: "account" };
};

/** A service operation on the installation, for whom its owners let, and for the operator. */
export type InstallationVerb<Input extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> = {
  (ctx: InstallationCtx, input: z.input<Input>): Promise<z.output<Reply>>;
  spec: Spec<Input, Reply> & { scope: "installation"; right: InstallationRight };
};

/** A large reply that is the same for many callers is held to its schema once. */
const repliesOf = new WeakMap<z.ZodType, (reply: object) => unknown>();

function replyOf<Reply extends z.ZodType>(schema: Reply, reply: z.input<Reply>): z.output<Reply> {
  if (!isKept(reply)) return schema.parse(reply);
  let parse = repliesOf.get(schema);
  if (!parse) {
    parse = oncePerKept((kept) => Object.freeze(schema.parse(kept)));
    repliesOf.set(schema, parse);
  }
  return parse(reply) as z.output<Reply>;
}

/** Runs, and keeps a `ZodError` from meaning anything but "your input": ours inside a service is our own mistake. */
export async function checked<Reply extends z.ZodType>(
  spec: Spec<z.ZodType, Reply>,
  run: () => Promise<z.input<Reply>>,
) {
  try {
    return replyOf(spec.reply, await run());
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new Error(`${spec.name} does not hold to its reply schema: ${z.prettifyError(error)}`, {
      cause: error.message,
    });
  }
}

/**
 * Declares an operation once. A write runs in a transaction together with its row in the audit log; `auditNote` says in
 * it what was touched. Calling it checks the capability (any one of those named is enough), parses the input
 * (a `ZodError` names every problem), runs, and strips the reply to what its schema names, or, for a caller who may only
 * write, to what `unread` names.
 */
export function verb<Input extends z.ZodType, Reply extends z.ZodType>(
  spec: Spec<Input, Reply> & Unread & { capability: Capability | readonly Capability[] },
  run: (ctx: Ctx, input: z.output<Input>) => Promise<z.input<Reply>>,
): Verb<Input, Reply> {
  const capability = typeof spec.capability === "string" ? [spec.capability] : spec.capability;
  const call = async (ctx: Ctx, input: z.input<Input>) => {
    requireCapability(ctx, capability);
    const parsed = spec.input.parse(input);
    if (spec.effect === "read") return checked(spec, () => run(ctx, parsed));
    const reply = await auditedWrite(ctx, spec.name, parsed, (tx) => checked(spec, () => run(tx, parsed)));
    const reads = spec.unread === undefined || hasCapability(ctx, spec.unread.unless);
    // People who may write may read; only keys come here, over HTTP, where the document has both forms.
    return reads ? reply : (spec.unread?.reply.parse(reply) as typeof reply);
  };
  return Object.assign(call, { spec: { ...spec, capability, scope: "project" as const } });
}

export function accountVerb<Input extends z.ZodType, Reply extends z.ZodType>(
  spec: Spec<Input, Reply>,
  run: (ctx: AccountCtx, input: z.output<Input>) => Promise<z.input<Reply>>,
  /** Before the transaction of a write opens: what has to stay even when the write is refused, such as a counted try. */
  prepare?: (ctx: AccountCtx, input: z.output<Input>) => Promise<void>,
): AccountVerb<Input, Reply> {
  const call = async (ctx: AccountCtx, input: z.input<Input>) => {
    const parsed = spec.input.parse(input);
    await prepare?.(ctx, parsed);
    if (spec.effect === "read") return checked(spec, () => run(ctx, parsed));
    return auditedAccountWrite(ctx, spec.name, parsed, (tx) => checked(spec, () => run(tx, parsed)));
  };
  return Object.assign(call, { spec: { ...spec, scope: "account" as const } });
}

/** Declares an operation on the installation. Calling it checks the right before anything of the input. */
export function installationVerb<Input extends z.ZodType, Reply extends z.ZodType>(
  spec: Spec<Input, Reply> & { right: InstallationRight },
  run: (ctx: InstallationCtx, input: z.output<Input>) => Promise<z.input<Reply>>,
): InstallationVerb<Input, Reply> {
  const call = async (ctx: InstallationCtx, input: z.input<Input>) => {
    await requireRight(ctx, spec.right);
    const parsed = spec.input.parse(input);
    if (spec.effect === "read") return checked(spec, () => run(ctx, parsed));
    return auditedInstallationWrite(ctx, spec.name, parsed, (tx) => checked(spec, () => run(tx, parsed)));
  };
  return Object.assign(call, { spec: { ...spec, scope: "installation" as const } });
}
