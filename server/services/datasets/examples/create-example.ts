import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import { checkedPayload, writtenId } from "./checked-payload";
import { readExample } from "./lists/read-example";
import { lockDataset } from "./lock-dataset";
import { createExampleInput, exampleReply } from "./schemas";
import { writeExamples } from "./write-examples";

export const createExample = verb(
  {
    name: "examples.create",
    summary: "Add an Example to a Dataset.",
    description:
      "Every problem in the payload is reported with its pointer (400). Content that the Dataset already has is a 409 that names the other Example. Edits by one person within 30 minutes become one version of the Dataset.",
    effect: "write",
    capability: "models:manage",
    input: createExampleInput,
    reply: exampleReply,
  },
  async (ctx, { datasetId, payload, tags, source, split }) => {
    const draft = { payload: checkedPayload(payload), tags, source, ...(split && { split }) };
    const dataset = await lockDataset(ctx, datasetId);
    const [outcome] = await writeExamples(ctx, dataset, [{ kind: "create", draft, onDuplicate: "keep" }], {
      kind: "edit",
    });
    const id = writtenId(outcome);
    auditNote(ctx, { target: { type: "example", id }, after: { datasetId, tags, source } });
    return { example: await readExample(ctx, { datasetId, exampleId: id }) };
  },
);
