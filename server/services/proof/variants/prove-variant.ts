import { auditNote } from "@/server/platform/audit";
import { unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { insertEvaluation } from "../evaluations/insert-evaluation";
import { readEvaluation } from "../evaluations/read-evaluations";
import { requestedEvaluationReply } from "../evaluations/schemas";
import { unpricedModels } from "./estimate-proof";
import { prepareProof } from "./prepare-proof";
import { provenReply, proveVariantInput } from "./schemas";

export const proveVariant = verb(
  {
    name: "variants.prove",
    summary: "Prove a variant on a Finding's conversations or on held-out Examples, in the background.",
    description:
      "Connected models answer each row anew: what runs today is sent what was recorded, the variant its change of it. With `findingId`, conversations are replayed up to the faulty answer and the Finding's Rule reads both answers; with `datasetId`, answers to the Examples of the test and validation splits are compared with the expected ones. Conversations that the variant was written with are left out. Asking stops at `maxCost`, and what was answered until then counts; the connections' daily limits hold, too. The same question is never sent twice. 422: nothing can be compared, or `maxCost` is given and a model has no price; the message says why.",
    effect: "write",
    capability: "models:manage",
    input: proveVariantInput,
    reply: provenReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedEvaluationReply },
  },
  {
    before: async (ctx, input) => {
      const proof = await prepareProof(ctx, input);
      if (input.maxCost !== undefined) {
        const unpriced = await unpricedModels(ctx, proof);
        if (unpriced.length > 0)
          throw unprocessable(
            "/maxCost",
            `The price of ${unpriced.join(" and ")} is unknown, so a limit in US dollars cannot be kept. Add a price, or leave the limit out.`,
          );
      }
      return proof;
    },
    run: async (ctx, { findingId, datasetId, maxCost }, { kind, baseline, prepared, variant }) => {
      const id = await insertEvaluation(ctx, { kind, findingId }, prepared);
      auditNote(ctx, {
        target: { type: "evaluation", id },
        after: { variantId: variant.id, findingId, datasetId, baseline, maxCost, rows: prepared.rows.length },
      });
      return { evaluation: await readEvaluation(ctx, id) };
    },
  },
);
