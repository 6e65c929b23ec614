import { z } from "zod";
import { env } from "@/env";
import { inngestServer } from "@/server/engine/configuration";
import { hasCapability } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { summariseCosts } from "@/server/services/costs";
import { summariseFindings, wilson } from "@/server/services/diagnostics";
import { summariseCalls, summariseConversations } from "@/server/services/telemetry";
import type { ConversationsSummary } from "@/server/services/telemetry/search/schemas";
import { periodsOf } from "./periods";
import { readStanding } from "./read-standing";
import { HOME_PARTS, homeReply } from "./schemas";
import { stepsOf } from "./steps";

export const getHome = verb(
  {
    name: "home.get",
    summary: "Read what a project needs from a person, what changed since their last visit, and where it stands.",
    description:
      "Every number is that of the operation that lists what it counts. Numbers cover whole UTC days; costs and conversations are those of the last 7 full days, beside the 7 before. `costs` requires `model-pricing:read` and `work` `workspace:read`; without, they are `null`, and `missing` says so.",
    effect: "read",
    capability: "diagnostics:read",
    input: z.strictObject({}),
    reply: homeReply,
  },
  // One after the other: a page must not take several of the process's few connections.
  async (ctx) => {
    const standing = await readStanding(ctx);
    const { now, since, firstAt, pulse, failedRuns, closedTickets, fixes } = standing;
    const { period, before, isComparable } = periodsOf(now, firstAt);
    const findings = await summariseFindings(ctx, since.at);
    const periods = isComparable ? [period, before] : [period];
    const [inPeriod, inBefore] = await summariseConversations(ctx, periods);
    const [calls, callsBefore] = await summariseCalls(ctx, periods);
    if (!inPeriod || !calls) throw new Error("A period was not counted.");
    const costs = hasCapability(ctx, ["model-pricing:read"])
      ? await summariseCosts(ctx, { now, period, before })
      : null;
    const mayReadWork = hasCapability(ctx, ["workspace:read"]);
    const failedJobs = inngestServer(env()) ? null : standing.failedJobs;
    const parts = {
      costs: costs && { ...costs, before: isComparable ? costs.before : null },
      work: mayReadWork ? { candidates: standing.candidates, failedJobs, evaluations: standing.evaluations } : null,
    };
    return {
      home: {
        at: now,
        since,
        pulse,
        findings,
        alerts: standing.alerts,
        failedRuns,
        closedTickets,
        fixes,
        conversations: { period: inPeriod, before: inBefore ?? null, limits: limitsOf(inPeriod) },
        calls: { period: calls, before: callsBefore ?? null },
        ...parts,
        steps: stepsOf(
          { ...standing, hasConversations: firstAt !== null, findingsForReview: findings.review.count },
          mayReadWork ? { ...standing, hasTrainer: standing.hasAgent } : null,
        ),
        missing: HOME_PARTS.filter((part) => parts[part] === null).map((part) => ({
          part,
          reason: "forbidden" as const,
        })),
      },
    };
  },
);

const limitsOf = ({ conversations, withFindings, withErrors }: ConversationsSummary) => ({
  withFindings: wilson({ affected: withFindings, conversations }),
  withErrors: wilson({ affected: withErrors, conversations }),
});
