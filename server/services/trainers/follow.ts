import { type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import type { TrainerProblem } from "./trainer-client";

/** Whether there is nothing left to do. */
export type Turn = { done: boolean };

/** How soon an unreachable trainer is called again, and how often one that is working is polled. */
export const RETRY_MS = 20_000;
export const POLL_MS = 20_000;
/** How often work whose process died without a result is restarted before it fails. */
export const RESTARTS_MAX = 3;

/** Statuses of a temporary refusal: the trainer is busy or starting. */
const FOR_NOW = new Set([408, 425, 429, 500, 502, 503, 504]);
export const NOT_THERE = 404;

/** Returns whether the same request may succeed later. */
export const isForNow = ({ status, problem }: { status: number; problem: TrainerProblem }) =>
  problem.retryable || FOR_NOW.has(status) || problem.code === "unauthorized";

export const inMs = (ms: number): SQL<number> => sql<number>`${NOW} + ${ms}::bigint`;

type Stored = Record<string, unknown>;

/** Returns the latest problem of unfinished work, with its number of restarts increased by one. */
export const withRestart = (problem: object, stored: Stored | null): Stored => ({
  ...problem,
  restarts: restartsOf(stored) + 1,
});

/** Returns how often unfinished work was restarted after its process died. */
export const restartsOf = (stored: Stored | null): number => Number(stored?.restarts ?? 0);
