import { z } from "zod";
import { FIX_VERDICTS, PROOF_VERDICTS } from "@/db/schema/enumerations";
import { costsSummary } from "@/server/services/costs/schemas";
import { findingsSummary } from "@/server/services/diagnostics/findings/schemas";
import { firingAlerts } from "@/server/services/notifications/alerts/schemas";
import { callsSummary, conversationsSummary } from "@/server/services/telemetry/search/schemas";

/** The loop, in order. */
export const HOME_STEPS = ["send", "diagnose", "review", "collect", "train", "prove"] as const;
export type HomeStepName = (typeof HOME_STEPS)[number];
/** `waiting` and `running` have a `count`; `missing`: it needs a trainer, and none is attached; `to_do`: never done. */
export const HOME_STEP_STATES = ["waiting", "running", "missing", "to_do", "done"] as const;

const step = z.object({
  name: z.enum(HOME_STEPS),
  /** `null` for a caller who may not read it. */
  state: z.enum(HOME_STEP_STATES).nullable(),
  count: z.int().nullable(),
});
export type HomeStep = z.infer<typeof step>;

const interval = z.object({ rate: z.number(), low: z.number(), high: z.number() });
const limitedCount = z.object({ count: z.int(), more: z.boolean() });

/** What waits outside the Findings. */
const work = z.object({
  /** Collected Examples waiting for review. */
  candidates: z.int(),
  /** Background jobs that are out of attempts; `null` if an Inngest server runs them. */
  failedJobs: limitedCount.nullable(),
  /** Evaluations that ended since then, newest first. */
  evaluations: z.object({
    ...limitedCount.shape,
    newest: z.array(
      z.object({
        id: z.string(),
        status: z.enum(["succeeded", "failed"]),
        verdict: z.enum(PROOF_VERDICTS).nullable(),
        findingId: z.string().nullable(),
        findingTitle: z.string().nullable(),
        finishedAt: z.number(),
      }),
    ),
  }),
});

export const HOME_PARTS = ["costs", "work"] as const;

export const homeReply = z.object({
  home: z.object({
    /** Unix ms of the reading. */
    at: z.number(),
    /** What is new is new since then: the member's last visit, or 24 hours ago on their first and for keys. */
    since: z.object({ at: z.number(), isLastVisit: z.boolean() }),
    pulse: z.object({
      /** When spans or logs last arrived; `null` for never. */
      receivedAt: z.number().nullable(),
      /** Spans that arrived in the last 60 seconds. */
      spansPerMinute: z.int(),
      /** Requests with telemetry of this project that were refused in the last 60 minutes. */
      refusedRequests: z.int(),
      /** Stored traces that could not be turned into conversations. */
      quarantinedTraces: limitedCount,
    }),
    findings: findingsSummary,
    /** Those on costs only for a caller who may read costs. */
    alerts: firingAlerts,
    /** Rule Runs that failed and were not retried. */
    failedRuns: limitedCount,
    /** Tickets that are closed in the tracker while their Finding is not resolved. */
    closedTickets: z.object({
      ...limitedCount.shape,
      newest: z.array(z.object({ findingId: z.string(), findingTitle: z.string(), key: z.string(), url: z.string() })),
    }),
    /** Fixes whose rates are being watched, and those that conversations since have proven or not proven since then, newest first. */
    fixes: z.object({
      watched: limitedCount,
      judged: z.object({
        ...limitedCount.shape,
        newest: z.array(
          z.object({
            id: z.string(),
            verdict: z.enum(FIX_VERDICTS),
            verdictAt: z.number(),
            findingId: z.string(),
            findingTitle: z.string(),
          }),
        ),
      }),
    }),
    /** `period`: the last 7 full days (UTC), or today for a project that began today; `before`: the 7 before, `null` for a younger project. */
    conversations: z.object({
      period: conversationsSummary,
      before: conversationsSummary.nullable(),
      /** The 95% interval (Wilson) of both shares of `period`; `null` without conversations. */
      limits: z.object({ withFindings: interval.nullable(), withErrors: interval.nullable() }),
    }),
    /** Model calls of the same days. */
    calls: z.object({ period: callsSummary, before: callsSummary.nullable() }),
    costs: costsSummary.extend({ before: costsSummary.shape.before.nullable() }).nullable(),
    work: work.nullable(),
    steps: z.array(step),
    /** The parts that are `null`, and why. */
    missing: z.array(z.object({ part: z.enum(HOME_PARTS), reason: z.enum(["forbidden"]) })),
  }),
});
export type HomeReply = z.infer<typeof homeReply>["home"];

/** `at` is `null` on the member's first visit, and for keys. */
export const lastVisitReply = z.object({ lastVisit: z.object({ at: z.number().nullable() }) });
