import { env } from "@/env";
import { type Actor, idOfActor } from "@/server/platform/context";
import type { Limit, LimitState } from "./limiter";

const MINUTE_SECONDS = 60;
const MIB = 1024 * 1024;

const holderOf = (actor: Actor) => idOfActor(actor) ?? actor.kind;

/** Returns the limits of a key (or member) and of a project; a quota of 0 means no limit. */
const limitsOf = (what: string, unit: Limit["unit"], holder: string, perKey: number, perProject: number): Limit[] =>
  [
    { name: "key", id: `${what}:${holder}`, quota: perKey },
    { name: "project", id: what, quota: perProject },
  ]
    .filter(({ quota }) => quota > 0)
    .map((limit) => ({ ...limit, unit, windowSeconds: MINUTE_SECONDS }));

/** Returns the limits on ordinary requests: per key (or member) and per project. */
export const requestLimits = (actor: Actor): Limit[] =>
  limitsOf("requests", "requests", holderOf(actor), env().RATE_LIMIT_KEY_REQUESTS, env().RATE_LIMIT_PROJECT_REQUESTS);

/** Returns a caller's limit on one operation, in addition to those on requests. */
export const operationLimits = (actor: Actor, operation: string, perMinute: number): Limit[] => [
  {
    name: "operation",
    id: `operation:${operation}:${holderOf(actor)}`,
    quota: perMinute,
    unit: "requests",
    windowSeconds: MINUTE_SECONDS,
  },
];

/** Returns the limits on telemetry, by size: the cost of ingest is in the bytes, not in how they are batched. */
export const ingestLimits = (actor: Actor): Limit[] =>
  limitsOf(
    "ingest",
    "content-bytes",
    holderOf(actor),
    env().RATE_LIMIT_KEY_INGEST_MIB * MIB,
    env().RATE_LIMIT_PROJECT_INGEST_MIB * MIB,
  );

/** Returns the headers `RateLimit` and `RateLimit-Policy` of the IETF draft (draft-ietf-httpapi-ratelimit-headers). */
export function limitHeaders(states: readonly LimitState[]): Record<string, string> {
  if (states.length === 0) return {};
  const policy = ({ limit }: LimitState) =>
    `"${limit.name}";q=${Math.floor(limit.quota)};w=${limit.windowSeconds}${limit.unit === "requests" ? "" : `;qu="${limit.unit}"`}`;
  const state = ({ limit, remaining, resetSeconds }: LimitState) => `"${limit.name}";r=${remaining};t=${resetSeconds}`;
  return { "ratelimit-policy": states.map(policy).join(", "), ratelimit: states.map(state).join(", ") };
}
