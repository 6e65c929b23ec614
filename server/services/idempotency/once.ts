import type { Ctx } from "@/server/platform/context";
import { transact } from "@/server/platform/database/transact";
import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";
import { type Answer, type Asked, claimKey, keepAnswer, LEASE_MS, releaseClaim, renewClaim } from "./keys";
import { sweepKeysNowAndThen } from "./sweep";

/** Trying these again may end otherwise, so they are no answer for a day. */
const passes = (status: number) => status >= 500 || status === 429;

type Work = {
  /** Does what comes before the transaction, and returns what the request does on the one that it is given. */
  begin: (ctx: Ctx) => Promise<(ctx: Ctx) => Promise<{ answer: Answer; after: () => Promise<void> }>>;
  /** The answer that an error is. */
  failed: (error: unknown) => Promise<Answer>;
};

/**
 * Answers a request once: its effect and its answer commit together, so that however often it is sent, and wherever a
 * process dies on the way, it happens at most once and everyone hears the same.
 */
export async function answerOnce(
  ctx: Ctx,
  asked: Asked,
  { begin, failed }: Work,
): Promise<{ answer: Answer; replayed: boolean }> {
  sweepKeysNowAndThen(ctx.db);
  const found = await claimKey(ctx, asked);
  if ("answer" in found) return { answer: found.answer, replayed: true };
  const { claim } = found;
  const renewing = setInterval(() => void renewClaim(ctx.db, claim).catch(() => {}), LEASE_MS / 3);
  renewing.unref();
  try {
    const run = await begin(ctx);
    const { answer, after } = await transact(ctx.db, async (tx) => {
      const done = await run({ ...ctx, db: tx });
      await keepAnswer(tx, claim, done.answer);
      return done;
    });
    await after();
    return { answer, replayed: false };
  } catch (error) {
    const answer = await failed(error);
    await (passes(answer.status) ? releaseClaim(ctx.db, claim) : keepAnswer(ctx.db, claim, answer)).catch(
      (lost: unknown) => logger("idempotency").warn({ err: loggable(lost) }, "A key stays taken until its lease ends."),
    );
    return { answer, replayed: false };
  } finally {
    clearInterval(renewing);
  }
}
