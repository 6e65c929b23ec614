import type { Ctx } from "@/server/platform/context";
import { createConnection } from "@/server/services/connections";
import { storedEvaluation } from "./stored-evaluation";

/** Stores an ended evaluation of a checkpoint with one answered row, and connects a model that can judge it. Returns its id. */
export async function judgeableEvaluation(ctx: Ctx, checkpointId: string, mark: string): Promise<string> {
  await createConnection(ctx, {
    kind: "model",
    name: "Judge",
    baseUrl: "http://127.0.0.1:9/v1",
    secret: mark,
    settings: { defaultModel: mark },
  });
  return storedEvaluation(
    ctx,
    checkpointId,
    { status: "succeeded", finishedAt: 1 },
    {
      expected: mark,
      reference: mark,
      before: { content: `${mark} 1`, finishReason: "stop" },
      after: { content: `${mark} 2`, finishReason: "stop" },
      reason: "equally_close",
    },
  );
}
