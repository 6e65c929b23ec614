import { and, eq } from "drizzle-orm";
import { evaluations } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { lockRecording } from "@/server/services/trainers";
import { insertEvaluation } from "./insert-evaluation";
import { prepareEvaluation } from "./prepare-evaluation";
import { runEvaluation } from "./run-evaluation";
import { ROWS_DEFAULT } from "./schemas";

type Choice = { checkpointId: string; kind: "examples" } | { checkpointId: string; kind: "finding"; findingId: string };

/** Evaluates a played checkpoint with the recorded answers, once per choice. Throws if they belong to other prompts. */
export async function playEvaluation(ctx: Ctx, choice: Choice): Promise<void> {
  const id = (await playedEvaluation(ctx, choice)) ?? (await insertPlayedEvaluation(ctx, choice));
  while (!(await runEvaluation(ctx, id)).done);
  const [ended] = await ctx.db
    .select({ error: evaluations.error })
    .from(evaluations)
    .where(and(eq(evaluations.projectId, ctx.projectId), eq(evaluations.id, id)));
  if (ended?.error) throw new Error(`The recorded answers do not fit. ${ended.error.message ?? ""}`.trim());
}

async function playedEvaluation({ db, projectId }: Ctx, { checkpointId, kind }: Choice): Promise<string | undefined> {
  const [found] = await db
    .select({ id: evaluations.id })
    .from(evaluations)
    .where(
      and(eq(evaluations.projectId, projectId), eq(evaluations.checkpointId, checkpointId), eq(evaluations.kind, kind)),
    );
  return found?.id;
}

async function insertPlayedEvaluation(ctx: Ctx, choice: Choice): Promise<string> {
  const input = { ...choice, maxRows: ROWS_DEFAULT };
  const prepared = await prepareEvaluation(ctx, input);
  return inTransaction(ctx, async (tx) => {
    await lockRecording(tx);
    return (await playedEvaluation(tx, choice)) ?? (await insertEvaluation(tx, input, prepared));
  });
}
