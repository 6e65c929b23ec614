import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { insertEvaluation } from "./insert-evaluation";
import { prepareEvaluation } from "./prepare-evaluation";
import { readEvaluation } from "./read-evaluations";
import { createEvaluationInput, evaluationReply, PROOF_REPLAYS_MIN, requestedEvaluationReply } from "./schemas";

export const createEvaluation = verb(
  {
    name: "evaluations.create",
    summary: "Compare a checkpoint with the model it was trained from, or with another checkpoint, in the background.",
    description: `Kind \`examples\`: both models answer held-out Examples, from the test and validation splits of the version that the checkpoint's job trained on, and each answer is compared with the expected one. Kind \`finding\`: conversations in which a Finding occurred are replayed up to the faulty answer, and the Finding's Rule, with its current settings, checks the answers of both. Its verdict is \`proven\` when clearly more answers are right after: by a paired test and the lower limit of its interval, and checked by people where only a machine called them right; with fewer than ${PROOF_REPLAYS_MIN} replays it is at most \`not_enough\`. Anything either model was trained on is left out. 422: nothing was held out, or the Finding's evidence is not in the assistant's answers; the message says why.`,
    effect: "write",
    capability: "models:manage",
    input: createEvaluationInput,
    reply: evaluationReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedEvaluationReply },
  },
  {
    before: (ctx, input) => prepareEvaluation(ctx, input),
    run: async (ctx, input, prepared) => {
      const id = await insertEvaluation(ctx, input, prepared);
      auditNote(ctx, { target: { type: "evaluation", id }, after: { ...input, rows: prepared.rows.length } });
      return { evaluation: await readEvaluation(ctx, id) };
    },
  },
);
