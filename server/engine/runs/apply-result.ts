import { and, eq, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { type JobError, jobRuns, jobSteps } from "@/db/schema/engine";
import { newId } from "@/server/platform/ids";
import { createRuns } from "../events/create-runs";
import { waitsForEvent } from "../events/dispatch";
import type { Definitions } from "../functions/definitions";
import { momentOf } from "../functions/durations";
import { compileExpression } from "../functions/expressions";
import { completeRun, failRun, waitsForRun } from "./finish-run";
import { type CallResult, errorOf, type Op } from "./protocol";
import { finishedStep, isOpen, type Outcome, type Run, type Step, stepsOf } from "./steps";

type Rules = { definitions: Definitions; backoff: (attempt: number) => number };
/** `calledAt`: when the function was called, and so when a step that ran in the call started. */
type CallRules = Rules & { calledAt: number };

/** Stores the result of a function call, in the transaction that holds its run. */
export async function applyResult(tx: Db, run: Run, result: CallResult, rules: CallRules): Promise<void> {
  if (result.kind === "done") return completeRun(tx, run, result.output);
  const now = await databaseNow(tx);
  if (result.kind === "error") {
    if (result.final || run.attempt + 1 >= run.maxAttempts) return failRun(tx, run, result.error);
    return retryCall(tx, run, now + (result.retryAfter ?? rules.backoff(run.attempt)));
  }
  let progress = false;
  for (const op of result.ops) {
    if (op.op === "StepError" && run.attempt + 1 < run.maxAttempts) {
      const columns = { attempts: run.attempt + 1, error: errorOf(op.error), createdAt: rules.calledAt };
      await putStep(tx, run.id, op, { state: "retrying", ...columns });
      return retryCall(tx, run, now + (result.retryAfter ?? rules.backoff(run.attempt)));
    }
    if (op.op in FINISHED) {
      await putFinished(tx, run.id, op, run.attempt + 1, now, rules.calledAt);
      progress = true;
      continue;
    }
    const open = OPENERS[op.op];
    if (!open) return failRun(tx, run, unsupported(op));
    try {
      progress = (await open(tx, run, op, now, rules)) || progress;
    } catch (error) {
      // The function's request is invalid: a retry would not change it.
      if (isRefusal(error)) return failRun(tx, run, errorOf(error));
      throw error;
    }
  }
  await recordProgress(tx, run, progress ? now : null);
  if (!progress && !(await stepsOf(tx, run.id)).some(isOpen)) {
    await failRun(tx, run, {
      name: "NothingAsked",
      message: "The function ended its turn without requesting a step.",
    });
  }
}

/** Stores the result of one parallel step. The function itself is called after all due steps. */
export async function applyStepResult(tx: Db, run: Run, step: Step, result: CallResult, rules: Rules): Promise<void> {
  const now = await databaseNow(tx);
  const attempts = step.attempts + 1;
  const op = result.kind === "ops" ? result.ops.find(({ id }) => id === step.id) : undefined;
  if (op && (op.op === "StepRun" || op.op === "StepFailed" || (op.op === "StepError" && attempts >= run.maxAttempts))) {
    await putFinished(tx, run.id, op, attempts, now, step.createdAt);
    return recordProgress(tx, run, now);
  }
  const error = result.kind === "error" ? result.error : errorOf(op?.error ?? "The step returned nothing.");
  if ((result.kind === "error" && result.final) || attempts >= run.maxAttempts) return failRun(tx, run, error);
  const retryAfter = result.kind === "done" ? undefined : result.retryAfter;
  await tx
    .update(jobRuns)
    .set({ retries: run.retries + 1 })
    .where(eq(jobRuns.id, run.id));
  await tx
    .update(jobSteps)
    .set({ attempts, error, dueAt: now + (retryAfter ?? rules.backoff(step.attempts)) })
    .where(and(eq(jobSteps.runId, run.id), eq(jobSteps.id, step.id)));
}

const FINISHED: Record<string, true> = { StepRun: true, StepError: true, StepFailed: true };

const unsupported = (op: Op): JobError => ({
  name: "NotSupported",
  message: `The embedded job engine does not support ${op.op} (step "${op.displayName ?? op.id}").`,
});

class Refusal extends Error {
  override name = "NonRetriableError";
}
const isRefusal = (error: unknown) => error instanceof Refusal;

/** Runs `read`, whose failure is the function's fault, not the database's. */
function refusing<T>(op: Op, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Refusal(`Step "${op.displayName ?? op.id}": ${errorOf(error).message}`);
  }
}

type Opener = (tx: Db, run: Run, op: Op, now: number, rules: Rules) => Promise<boolean>;

/** Stores each kind of requested step. Returns true if it finished immediately, so that the function is called again. */
const OPENERS: Record<string, Opener> = {
  async StepPlanned(tx, run, op, now) {
    await putStep(tx, run.id, op, { state: "planned", dueAt: now });
    return false;
  },
  async Sleep(tx, run, op, now) {
    await putStep(tx, run.id, op, { state: "sleeping", dueAt: refusing(op, () => momentOf(op.name ?? "", now)) });
    return false;
  },
  async WaitForEvent(tx, run, op, now) {
    const waitIf = typeof op.opts?.if === "string" ? op.opts.if : null;
    if (waitIf !== null) refusing(op, () => compileExpression(waitIf));
    await putStep(tx, run.id, op, {
      state: "waiting",
      dueAt: timeout(op, now),
      waitsFor: waitsForEvent(op.name ?? ""),
      waitIf,
    });
    return false;
  },
  async InvokeFunction(tx, run, op, now, { definitions }) {
    const definition = definitions.get(String(op.opts?.function_id));
    if (!definition) {
      const error = { name: "InngestInvokeError", message: `There is no function "${op.opts?.function_id}".` };
      await putFinished(tx, run.id, { ...op, error }, 1, now, now);
      return true;
    }
    const childId = newId("jr");
    const isNew = await putStep(tx, run.id, op, {
      state: "waiting",
      dueAt: timeout(op, now),
      waitsFor: waitsForRun(childId),
    });
    const payload = op.opts?.payload as { data?: Record<string, unknown> } | undefined;
    const event = {
      id: `invoke:${childId}`,
      name: "inngest/function.invoked",
      data: payload?.data ?? {},
      ts: now,
    };
    if (isNew) await createRuns(tx, [{ definition, event, id: childId }], now);
    return false;
  },
};

const timeout = (op: Op, now: number) => {
  const text = op.opts?.timeout;
  return typeof text === "string" ? refusing(op, () => momentOf(text, now)) : null;
};

/** Stores an unfinished step. An existing one stays, unless it was due for a retry. Returns whether it was stored. */
async function putStep(tx: Db, runId: string, op: Op, columns: Partial<Step> & Pick<Step, "state">): Promise<boolean> {
  const put = await tx
    .insert(jobSteps)
    .values({ runId, id: op.id, name: nameOf(op), op: op.op, ...columns })
    .onConflictDoUpdate({
      target: [jobSteps.runId, jobSteps.id],
      set: { op: op.op, ...columns, createdAt: jobSteps.createdAt },
      setWhere: eq(jobSteps.state, "retrying"),
    })
    .returning({ id: jobSteps.id });
  return put.length > 0;
}

/** Stores a step that finished within a call. One that finished before stays as the function saw it. */
async function putFinished(tx: Db, runId: string, op: Op, attempts: number, now: number, begunAt: number) {
  const outcome: Outcome = { id: op.id, data: op.data, ...(op.op === "StepRun" ? {} : { error: errorOf(op.error) }) };
  const columns = { op: op.op, attempts, ...finishedStep(runId, outcome, now) };
  await tx
    .insert(jobSteps)
    .values({ runId, id: op.id, name: nameOf(op), createdAt: begunAt, ...columns })
    .onConflictDoUpdate({
      target: [jobSteps.runId, jobSteps.id],
      set: columns,
      setWhere: sql`${jobSteps.position} is null`,
    });
}

const nameOf = (op: Op) => op.displayName ?? op.name ?? null;

const retryCall = async (tx: Db, run: Run, at: number) => {
  await tx
    .update(jobRuns)
    .set({ attempt: run.attempt + 1, retries: run.retries + 1, callAt: at })
    .where(eq(jobRuns.id, run.id));
};

/** Keeps the time that a wake-up during the call has set. */
const recordProgress = async (tx: Db, run: Run, callAt: number | null) => {
  await tx
    .update(jobRuns)
    .set({ attempt: 0, crashes: 0, callAt: run.callAt ?? callAt })
    .where(eq(jobRuns.id, run.id));
};
