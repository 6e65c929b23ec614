import type { Ctx } from "@/server/platform/context";
import { transact } from "@/server/platform/database/transact";
import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";
import { type Answer, type Asked, claimKey, keepAnswer, LEASE_MS, releaseClaim, renewClaim } from "./keys";
import { sweepKeysNowAndThen } from "./sweep";

/** Trying these again may end otherwise, so they are no answer for a day. */
const passes = (status: number) => status >= 500 || status === 429;

type Work = {
  /** What the request does, on the transaction that it is given. */
  run: (ctx: Ctx) => Promise<Answer>;
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
  { run, failed }: Work,
): Promise<{ answer: Answer; replayed: boolean }> {
  sweepKeysNowAndThen(ctx.db);
  const found = await claimKey(ctx, asked);
  if ("answer" in found) return { answer: found.answer, replayed: true };
  const { claim } = found;
  const renewing = setInterval(() => void renewClaim(ctx.db, claim).catch(() => {}), LEASE_MS / 3);
  renewing.unref();
  try {
    const answer = await transact(ctx.db, async (tx) => {
      const done = await run({ ...ctx, db: tx });
      await keepAnswer(tx, claim, done);
      return done;
    });
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
