import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { currentPriceBook, priceCall, type Usage } from "@/server/services/pricing";
import { resolveUsage } from "@/server/services/telemetry";
import { limitIn, userOf } from "../calls/dialect";
import type { Answer } from "../calls/fold-answer";
import type { ModelRequest } from "../calls/read-request";
import { type Call, usageOf } from "../recording/record-call";
import type { Attempt } from "../streams/pass-on";
import { budgetsOf } from "./callable-budgets";
import { estimatedTokens, mostTokens, tokensOf } from "./count-tokens";
import { type Reservation, reserve, settle } from "./reservations";

type Sent = { request: ModelRequest; maxOutputTokens?: number | null };

/**
 * Returns an attempt that is only made if the most that it may cost fits in the caller's budgets. Without budgets it costs
 * nothing to ask.
 */
export function withinBudget(ctx: Ctx, { call, begin }: Attempt, sent: Sent): Attempt {
  return {
    call,
    async begin(signal) {
      const reservation = await reserveFor(ctx, call, sent).catch((error: unknown) => {
        // A call that is not made is not recorded.
        call.callee = { ...call.callee, isRecorded: false };
        throw error;
      });
      if (reservation === null) return begin(signal);
      const estimated = estimatedTokens(sent.request.bytes);
      call.onEnd = () => settleCall(ctx, call, reservation, estimated);
      try {
        return await begin(signal);
      } catch (error) {
        // What was refused was not answered; what was given up may have been, and is billed then.
        if (!signal.aborted) call.onEnd = () => settleAt(ctx, reservation, "0");
        throw error;
      }
    },
  };
}

async function reserveFor(ctx: Ctx, call: Call, { request, maxOutputTokens = null }: Sent) {
  const budgets = await budgetsOf(ctx);
  if (budgets.length === 0) return null;
  const output = mostOutput(call, request, maxOutputTokens);
  const usage = { input_tokens: mostTokens(request.bytes), output_tokens: output };
  const usd = await costOf(ctx, call, usage);
  if (usd === null) {
    const message = `The price of the model ${call.callee.model} is unknown, so that its calls cannot be counted towards the daily budget. Add its price.`;
    throw new ServiceError("unprocessable", message, {
      errors: [{ path: "/model", message }],
      openAiCode: "model_without_price",
    });
  }
  return reserve(ctx, budgets, usd, userOf(request.fields));
}

/** Returns the most tokens that an answer may have. Throws `invalid` if nothing limits it. */
function mostOutput({ dialect }: Call, { fields }: ModelRequest, maxOutputTokens: number | null): number {
  const [name] = dialect.limits;
  if (name === undefined) return 0;
  const limit = limitIn(dialect, fields) ?? maxOutputTokens;
  if (limit !== null) return Math.max(0, limit) * (typeof fields.n === "number" ? fields.n : 1);
  throw new ServiceError(
    "invalid",
    `Calls are under a daily budget, which is kept by reserving the most that an answer may cost: send ${name}, or call an alias that limits answers.`,
    { errors: [{ path: `/${name}`, message: "Is needed under a budget." }] },
  );
}

async function costOf(ctx: Ctx, { callee, answer }: Call, usage: Usage | null): Promise<string | null> {
  const { totalDecimal } = priceCall(await currentPriceBook(ctx), {
    requestedModel: callee.model,
    responseModel: callee.namesModel ? answer.model : callee.model,
    provider: callee.provider,
    usage,
  });
  return totalDecimal;
}

/**
 * Settles what an ended call has reserved: at what it cost or, if the endpoint did not tell its usage, at what its request and
 * as much of the answer as arrived probably cost. If that fails, the reservation stays spent.
 */
async function settleCall(ctx: Ctx, call: Call, reservation: Reservation, inputTokens: number) {
  const { answer, callee } = call;
  const told = resolveUsage(attributesOf(answer), callee.provider).usage;
  const usage = told ?? { input_tokens: inputTokens, output_tokens: tokensOf(answer) };
  const usd = await costOf(ctx, call, usage).catch(() => null);
  if (usd !== null) await settleAt(ctx, reservation, usd);
}

/** Returns what an answer says of its usage as its span has it, so that it is counted and priced alike. */
const attributesOf = (answer: Answer) =>
  Object.fromEntries(
    usageOf(answer).flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" ? [[name, value] as const] : [],
    ),
  );

async function settleAt(ctx: Ctx, reservation: Reservation, usd: string) {
  await settle(ctx, reservation, usd).catch((failure: unknown) => {
    logger("gateway").error({ err: loggable(failure) }, "The cost of a call could not be settled.");
  });
}
