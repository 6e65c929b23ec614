import { auditNote } from "@/server/platform/audit";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { writtenId } from "./checked-payload";
import { lockDataset } from "./lock-dataset";
import { exampleIdInput } from "./schemas";
import { writeExamples } from "./write-examples";

export const deleteExample = verb(
  {
    name: "examples.delete",
    summary: "Remove an Example from a Dataset.",
    description: "Earlier versions of the Dataset still contain it.",
    effect: "write",
    capability: "models:manage",
    input: exampleIdInput,
    reply: okReply,
  },
  async (ctx, { datasetId, exampleId }) => {
    const dataset = await lockDataset(ctx, datasetId);
    const [outcome] = await writeExamples(ctx, dataset, [{ kind: "delete", exampleId }], { kind: "edit" });
    writtenId(outcome);
    auditNote(ctx, { target: { type: "example", id: exampleId }, before: { datasetId }, after: null });
    return { ok: true as const };
  },
);
