import { asc, eq, sql } from "drizzle-orm";
import { jobSteps } from "@/db/schema";
import { verb } from "@/server/platform/verb";
import { knownTo } from "./background-job-json";
import { backgroundJobJson, findBackgroundJob } from "./find-background-job";
import { redactError } from "./redact-error";
import { type BackgroundJobStep, backgroundJobReply, getBackgroundJobInput } from "./schemas";

type Step = typeof jobSteps.$inferSelect;

const stateOf = ({ state, attempts }: Step): BackgroundJobStep["state"] =>
  state === "planned" ? (attempts > 0 ? "retrying" : "queued") : state;

const KINDS: Record<string, BackgroundJobStep["kind"]> = {
  Sleep: "sleep",
  WaitForEvent: "wait",
  InvokeFunction: "invoke",
};

export const getBackgroundJob = verb(
  {
    name: "backgroundJobs.get",
    summary: "Read one background job with its steps.",
    description:
      "`steps` are in the order in which they ran, each with its attempts and its last error. `nextAt` says when a step that failed, sleeps or waits continues. Errors contain no secrets. 404 once the job was deleted with old ones.",
    effect: "read",
    capability: "workspace:read",
    input: getBackgroundJobInput,
    reply: backgroundJobReply,
  },
  async (ctx, { backgroundJobId }) => {
    const row = await findBackgroundJob(ctx, backgroundJobId);
    const steps = await ctx.db
      .select()
      .from(jobSteps)
      .where(eq(jobSteps.runId, row.id))
      .orderBy(sql`${jobSteps.position} nulls last`, asc(jobSteps.createdAt));
    const known = knownTo(row);
    return {
      backgroundJob: {
        ...(await backgroundJobJson(ctx, row)),
        steps: steps.map((step) => ({
          id: step.id,
          name: step.name ?? step.id,
          kind: KINDS[step.op] ?? "step",
          state: stateOf(step),
          attempts: step.attempts,
          startedAt: step.createdAt,
          finishedAt: step.finishedAt,
          // A step that failed within its job's call is retried together with it.
          nextAt: step.state === "retrying" ? row.dueAt : step.dueAt,
          error: redactError(step.error, known),
        })),
      },
    };
  },
);
