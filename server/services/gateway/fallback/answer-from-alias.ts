import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { LRUCache } from "lru-cache";
import type { GatewayTarget } from "@/db/schema/json";
import type { Ctx } from "@/server/platform/context";
import { SECOND_MS } from "@/server/platform/durations";
import { type ErrorCode, ServiceError } from "@/server/platform/errors";
import { OutboundError } from "@/server/platform/outbound";
import type { Outgoing } from "@/server/platform/stream-verb";
import type { AliasRow } from "../aliases/alias-rows";
import type { CallableAlias } from "../aliases/callable-aliases";
import { textOf } from "../calls/fields";
import type { ModelRequest } from "../calls/read-request";
import { type Choice, type Trial, trialOf } from "../experiments/trial";
import { callerOf } from "../recording/caller";
import { type Attempts, beginAttempts, type Call, failAttempt, recordFailed } from "../recording/record-call";
import { type Attempt, type Passed, passOn, type Reply, reasonOf } from "../streams/pass-on";
import type { Asked } from "../upstream/call-connection";
import { UnsupportedByApi } from "../upstream/refusal-of";
import { attemptAt } from "./attempts";
import { holdStart } from "./hold-start";
import { type Limits, startLimit, startLimits } from "./limits";
import { whileWaiting } from "./while-waiting";

/** Errors that another model may not have; with all others the request itself was refused. */
const FOR_NOW: ReadonlySet<ErrorCode> = new Set(["timed_out", "rate_limited", "unavailable"]);
const isUnsent = ({ error }: Failure) => error instanceof UnsupportedByApi;
const mayFallBack = (error: unknown) =>
  error instanceof OutboundError || (error instanceof ServiceError && FOR_NOW.has(error.code));

/** Before the first repetition; each next one waits twice as long. */
const BACKOFF_MS = 250;
/** The next target is asked rather than waiting longer. */
const WAIT_MAX_MS = 5 * SECOND_MS;

/** Which target stores a response that later ones may refer to. */
const answered = new LRUCache<string, GatewayTarget>({ max: 100_000 });
const answerKey = ({ projectId }: Ctx, responseId: string) => `${projectId} ${responseId}`;

type Failure = { error: unknown; call: Call | null };
type Asking = { alias: AliasRow; asked: Asked; trial: Trial; attempts: Attempts; limits: Limits };

/**
 * Returns the answer of the first target that gives one. The next is asked only before the first content: after it, a client
 * would get parts of two answers.
 */
export async function answerFromAlias(
  ctx: Ctx,
  alias: CallableAlias,
  { signal, ...asked }: Asked & { signal: AbortSignal },
): Promise<Outgoing> {
  const { dialect, request, headers } = asked;
  const trial = await trialOf(ctx, alias, asked);
  const attempts = beginAttempts(alias.name, callerOf(request.fields, headers), trial.arm);
  const limits = startLimits(alias.totalSeconds, signal, headers);
  const answer = firstAnswer(ctx, { alias, asked, trial, attempts, limits });
  // Errors are reported where the promise is awaited.
  answer.catch(() => {});
  return request.fields.stream === true ? whileWaiting(dialect, answer) : answer;
}

async function firstAnswer(ctx: Ctx, of: Asking): Promise<Passed> {
  const { alias, limits } = of;
  const failures: Failure[] = [];
  try {
    let sent: ModelRequest | undefined;
    for (const { target, request, maxOutputTokens } of choicesFor(ctx, of)) {
      // Recorded is what the target that answers was sent; a request that several are sent is converted once.
      if (request !== sent) of.attempts.input = null;
      sent = request;
      const each = { ...of, alias: { ...alias, maxOutputTokens }, asked: { ...of.asked, request } };
      for (let repeated = 0; repeated <= alias.retries; repeated++) {
        const outcome = await ask(ctx, each, target);
        if (outcome === null) break;
        if ("body" in outcome) return outcome;
        failures.push(outcome);
        if (limits.signal.aborted) throw outcome.error;
        // Asked again it refuses again, and the next target may have another API.
        if (isUnsent(outcome)) break;
        if (!mayFallBack(outcome.error)) throw outcome.error;
        if (repeated === alias.retries || !(await pause(outcome.error, repeated, limits.signal))) break;
      }
    }
    throw failureOf(alias, failures);
  } catch (error) {
    limits.end();
    const { call } = failures.findLast((one) => one.call?.callee.isRecorded) ?? {};
    if (call) await recordFailed(ctx, call, reasonOf(error));
    throw error;
  } finally {
    limits.arrived();
  }
}

/** Returns what to ask, in order. What another model would answer differently or not at all is asked of one only. */
function choicesFor(ctx: Ctx, { alias, asked: { dialect, request: asked }, trial }: Asking): Choice[] {
  const { maxOutputTokens } = alias;
  const { first, request } = trial;
  const own = alias.targets.map((target) => ({ target, request, maxOutputTokens }));
  const choices = first === null ? own : [first, ...own];
  if (!dialect.isPinned(asked.fields)) return choices;
  const previous = textOf(asked.fields.previous_response_id);
  const stored = previous === null ? undefined : answered.get(answerKey(ctx, previous));
  if (stored === undefined) return choices.slice(0, 1);
  const known = choices.find(({ target }) => isDeepStrictEqual(target, stored));
  return [known ?? { target: stored, request, maxOutputTokens }];
}

/** Asks one target once. Returns its answer, or why there is none; `null` if nothing is there that could answer. */
async function ask(ctx: Ctx, of: Asking, target: GatewayTarget): Promise<Passed | Failure | null> {
  let attempt: Attempt | null = null;
  try {
    attempt = await attemptAt(ctx, of.alias, target, of.asked, of.attempts);
    return attempt && (await begin(ctx, of, target, attempt));
  } catch (error) {
    const why = of.limits.signal.aborted ? of.limits.signal.reason : error;
    if (attempt) await failAttempt(attempt.call, reasonOf(why));
    return { error: why, call: attempt?.call ?? null };
  }
}

/** Begins an attempt's answer. Throws if it fails before its first content, or is late. */
async function begin(ctx: Ctx, { alias, asked, trial, limits }: Asking, target: GatewayTarget, attempt: Attempt) {
  const { call } = attempt;
  const seconds = asked.request.fields.stream === true ? alias.firstTokenSeconds : null;
  const late = startLimit(seconds, `The answer did not begin within ${seconds} s.`);
  let reply: Reply | undefined;
  try {
    reply = await attempt.begin(AbortSignal.any([limits.signal, late.signal]));
    const { isStreamed, release } = reply;
    const passed = await passOn(ctx, call, {
      ...reply,
      ...(isStreamed && { events: await holdStart(call.dialect, reply) }),
      release(isComplete) {
        if (isStreamed) limits.end();
        if (call.answer.id !== null) {
          answered.set(answerKey(ctx, call.answer.id), target);
          continueTrial(call, trial, call.answer.id);
        }
        release(isComplete);
      },
    });
    if (!isStreamed) limits.end();
    return passed;
  } catch (error) {
    reply?.release(false);
    throw late.signal.aborted ? late.signal.reason : error;
  } finally {
    late.end();
  }
}

/** Stores, before its answer ends, that a call belongs to a conversation: the next one may reach another process. */
function continueTrial(call: Call, trial: Trial, responseId: string) {
  const { onEnd } = call;
  const stored = trial.continueWith(responseId);
  call.onEnd = async () => {
    await stored;
    await onEnd?.();
  };
}

/** Waits before a target is asked again. Returns `false` if it wants to be left alone for longer. */
async function pause(error: unknown, repeated: number, signal: AbortSignal): Promise<boolean> {
  const told = retryAfterOf(error);
  const waitMs = told === undefined ? BACKOFF_MS * 2 ** repeated * (0.5 + Math.random()) : told * SECOND_MS;
  if (waitMs > WAIT_MAX_MS) return false;
  await sleep(waitMs, undefined, { signal });
  return true;
}

const retryAfterOf = (error: unknown) =>
  error instanceof ServiceError || error instanceof OutboundError ? error.retryAfter : undefined;

/** Returns the error of a call that no target has answered: the last one's, and the shortest time to wait that any has told. */
function failureOf({ name }: AliasRow, all: readonly Failure[]): ServiceError {
  const failures = all.filter((one) => !isUnsent(one));
  const last = failures.at(-1)?.error;
  // If no API has what is asked for, the first one says what that is.
  if (last === undefined && all[0]?.error instanceof UnsupportedByApi) return all[0].error;
  if (last === undefined) {
    const message = `The alias “${name}” has no model that can answer this: its connections were deleted, or its deployments do not run.`;
    return new ServiceError("not_found", message, {
      errors: [{ path: "/model", message }],
      openAiCode: "model_not_found",
    });
  }
  const waits = failures.map(({ error }) => retryAfterOf(error)).filter((wait) => wait !== undefined);
  return new ServiceError(
    last instanceof ServiceError ? last.code : "unavailable",
    `No model of the alias “${name}” answered. The last one: ${reasonOf(last)}`,
    { cause: last, ...(waits.length > 0 && { retryAfter: Math.min(...waits) }) },
  );
}
