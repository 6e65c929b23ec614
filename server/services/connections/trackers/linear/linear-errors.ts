import { z } from "zod";
import { retryAfterSeconds } from "@/server/platform/outbound";
import { rateLimitWords } from "../rate-limit";
import { quotedWords, TrackerError, type TrackerReason, trackerWords } from "../tracker-error";

const field = z.string().optional().catch(undefined);
export const linearProblems = z
  .array(
    z.object({
      message: z.string().catch(""),
      extensions: z
        .object({
          code: field,
          type: field,
          userPresentableMessage: field,
        })
        .catch({}),
    }),
  )
  .catch([]);
type Problem = z.infer<typeof linearProblems>[number];
type Reply = { status: number; headers: Readonly<Record<string, string>> };

/** What Linear reported about an entity: one with the id already exists, or none does. */
export type LinearRefusal = { problem: "exists" | "missing"; entity: string };

/** A `TrackerError` of Linear that records what was refused. */
export class LinearError extends TrackerError {
  constructor(
    reason: TrackerReason,
    message: string,
    readonly refusal: LinearRefusal | undefined,
    options: ConstructorParameters<typeof TrackerError>[2] = {},
  ) {
    super(reason, message, options);
  }
}

export const ticketGone = () =>
  new TrackerError(
    "gone",
    "The ticket no longer exists in Linear, or the API key cannot see its team. Replace the ticket if it is still needed.",
  );

/**
 * Codes in `extensions.code` and `extensions.type`, compared without case, spaces and underscores; the types are those of
 * `errorMap` in Linear's SDK (`packages/sdk/src/error.ts`). Others, such as invalid input, are final: the same request would
 * fail again.
 */
const CODES: readonly [RegExp, TrackerReason][] = [
  [/^ratelimited$/, "rate_limited"],
  [/^(authenticationerror|unauthenticated|forbidden|featurenotaccessible)$/, "credential"],
  [/^(internal(servererror|error)|networkerror|bootstraperror|locktimeout|unknown)$/, "unavailable"],
];
/** For replies without a known code, as Linear's SDK reads them. A rate limit with a code has the status 400. */
const STATUSES: Partial<Record<number, TrackerReason>> = { 401: "credential", 403: "credential", 429: "rate_limited" };
/** Linear's limits, each with its own headers. */
const LIMITS = ["requests", "endpoint-requests", "complexity"];

/** Converts Linear's errors to one of ours. `isWrite`: whether the request could have changed something. */
export function linearError(problems: readonly Problem[], reply: Reply, isWrite: boolean): TrackerError {
  const [first] = problems;
  const words = trackerWords(first?.extensions.userPresentableMessage ?? first?.message ?? "");
  const reason = reasonOf(first, reply.status);
  if (reason === "rate_limited") return rateLimited(reply.headers);
  if (reason === "credential") return refusedCredential(first, reply.status, words);
  if (reason === "unavailable") {
    const message = `Linear could not process the request (${reply.status})${quotedWords(words)}. Try again.`;
    return new TrackerError("unavailable", message, { ambiguous: isWrite });
  }
  if (first === undefined) {
    return new TrackerError(
      "destination",
      "There is no Linear API at the connection's address. Linear's address is https://api.linear.app.",
    );
  }
  const refusal = refusalOf(first);
  if (refusal?.problem === "missing" && refusal.entity === "Issue") {
    return new LinearError("gone", ticketGone().message, refusal);
  }
  const message = `Linear rejected the request${quotedWords(words)}. Correct the connection's settings accordingly.`;
  return new LinearError("destination", message, refusal);
}

function reasonOf(problem: Problem | undefined, status: number): TrackerReason | undefined {
  const { code = "", type = "" } = problem?.extensions ?? {};
  const names = [code, type].map((name) => name.toLowerCase().replaceAll(/[\s_-]/g, ""));
  const known = CODES.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1] ?? STATUSES[status];
  return known ?? (problem === undefined && status !== 404 ? "unavailable" : undefined);
}

function refusalOf(problem: Problem | undefined): LinearRefusal | undefined {
  const said = problem?.message ?? "";
  const exists = /^conflict on insert of (\w+)/i.exec(said)?.[1];
  if (exists !== undefined) return { problem: "exists", entity: exists };
  const missing = /^entity not found: (\w+)/i.exec(said)?.[1];
  return missing === undefined ? undefined : { problem: "missing", entity: missing };
}

function refusedCredential(problem: Problem | undefined, status: number, words: string): TrackerError {
  const isUnknown = status === 401 || /auth/i.test(problem?.extensions.code ?? problem?.extensions.type ?? "");
  return new TrackerError(
    "credential",
    isUnknown
      ? "Linear does not accept the API key. Create a new one in Linear and enter it in the connection."
      : `Linear does not let the API key do this${quotedWords(words)}. Use a key with write access, created by someone in the team.`,
  );
}

function rateLimited(headers: Reply["headers"]): TrackerError {
  const limits = LIMITS.map((name) => ({
    isUsedUp: Number(headers[`x-ratelimit-${name}-remaining`] ?? Number.NaN) <= 0,
    resetAt: Number(headers[`x-ratelimit-${name}-reset`] ?? Number.NaN),
  })).filter(({ resetAt }) => Number.isFinite(resetAt));
  const ends = (limits.some(({ isUsedUp }) => isUsedUp) ? limits.filter(({ isUsedUp }) => isUsedUp) : limits).map(
    ({ resetAt }) => resetAt,
  );
  const seconds = retryAfterSeconds(headers["retry-after"]) ?? (ends.length > 0 ? undefined : 60);
  const retryAt = seconds === undefined ? Math.max(...ends) : Date.now() + seconds * 1000;
  return new TrackerError("rate_limited", rateLimitWords("Linear", retryAt), { retryAt });
}
