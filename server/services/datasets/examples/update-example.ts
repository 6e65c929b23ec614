import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import { checkedPayload, writtenId } from "./checked-payload";
import { lockDataset } from "./lock-dataset";
import { readExample } from "./read-example";
import { exampleReply, updateExampleInput, writtenExampleReply } from "./schemas";
import { writeExamples } from "./write-examples";

export const updateExample = verb(
  {
    name: "examples.update",
    summary: "Change an Example's source, tags, split or payload.",
    description:
      "A payload replaces the whole one. Earlier versions of the Dataset keep the Example as it was. Content that another Example has is a 409 that names it.",
    effect: "write",
    capability: "models:manage",
    input: updateExampleInput,
    reply: exampleReply,
    writeOnlyReply: { unless: ["workspace:read"], reply: writtenExampleReply },
  },
  async (ctx, { datasetId, exampleId, payload, tags, source, split }) => {
    const patch = {
      ...(payload !== undefined && { payload: checkedPayload(payload) }),
      ...(tags && { tags }),
      ...(source && { source }),
      ...(split && { split }),
    };
    const dataset = await lockDataset(ctx, datasetId);
    const [outcome] = await writeExamples(ctx, dataset, [{ kind: "update", exampleId, patch }], { kind: "edit" });
    writtenId(outcome);
    const after = { datasetId, fields: Object.keys(patch), ...(tags && { tags }), ...(split && { split }) };
    auditNote(ctx, { target: { type: "example", id: exampleId }, after });
    return { example: await readExample(ctx, { datasetId, exampleId }) };
  },
);
