import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { checkedPayload, writtenId } from "./checked-payload";
import { readExample } from "./lists/read-example";
import { lockDataset } from "./lock-dataset";
import { exampleReply, updateExampleInput, writtenExampleReply } from "./schemas";
import { writeExamples } from "./write-examples";

export const updateExample = verb(
  {
    name: "examples.update",
    summary: "Change an Example's source, tags, split or payload.",
    description:
      "A payload replaces the previous one; omitted fields of `source` keep their value. Changing the split also moves the other Examples of the same conversation, so that no part of it is trained on while another is tested. Earlier versions of the Dataset keep the Example as it was. Content that another Example already has is a 409 that names it. With `expectedUpdatedAt`, an Example that has changed since is a 409 too.",
    effect: "write",
    capability: "models:manage",
    input: updateExampleInput,
    reply: exampleReply,
    writeOnlyReply: { unless: ["workspace:read"], reply: writtenExampleReply },
  },
  async (ctx, { datasetId, exampleId, expectedUpdatedAt, payload, tags, source, split }) => {
    const patch = {
      ...(payload !== undefined && { payload: checkedPayload(payload) }),
      ...(tags && { tags }),
      ...(source && { source }),
      ...(split && { split }),
    };
    const dataset = await lockDataset(ctx, datasetId);
    if (expectedUpdatedAt !== undefined) {
      const { updatedAt } = await readExample(ctx, { datasetId, exampleId });
      if (updatedAt !== expectedUpdatedAt) throw changedSince();
    }
    const [outcome] = await writeExamples(ctx, dataset, [{ kind: "update", exampleId, patch }], { kind: "edit" });
    writtenId(outcome);
    const after = { datasetId, fields: Object.keys(patch), ...(tags && { tags }), ...(split && { split }) };
    auditNote(ctx, { target: { type: "example", id: exampleId }, after });
    return { example: await readExample(ctx, { datasetId, exampleId }) };
  },
);

/** The error names the field, so that a caller can tell it from the conflict of two Examples with the same content. */
function changedSince() {
  const message = "This Example has changed since you opened it. Reload it and make your change again.";
  return new ServiceError("conflict", message, { errors: [{ path: "/expectedUpdatedAt", message }] });
}
