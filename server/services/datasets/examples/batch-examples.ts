import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import { duplicateMessage, payloadAt } from "./checked-payload";
import { lockDataset } from "./lock-dataset";
import { type BatchItem, type BatchResult, batchExamplesInput, batchReply } from "./schemas";
import type { Change, Outcome } from "./types";
import { writeExamples } from "./write-examples";

export const batchExamples = verb(
  {
    name: "examples.batch",
    summary: "Create, update and delete up to 1,000 Examples of a Dataset.",
    description:
      "Items are applied in order, in one transaction and one version of the Dataset; each has its own result, with the status that it would have on its own. An item with an invalid payload (400), for an Example that does not exist (404) or with the content of another one (409) changes nothing; the others are written. The body is limited to 1 MiB; import a file for more.",
    effect: "write",
    capability: "models:manage",
    input: batchExamplesInput,
    reply: batchReply,
  },
  async (ctx, { datasetId, items }) => {
    const checked = items.map(changeOf);
    const changes = checked.flatMap((one) => ("change" in one ? [one.change] : []));
    const dataset = await lockDataset(ctx, datasetId);
    const outcomes = (await writeExamples(ctx, dataset, changes, { kind: "edit" })).values();
    const results = checked.map((one, index) =>
      "change" in one ? resultOf(outcomes.next().value as Outcome, index) : one.result,
    );
    const counts: Record<string, number> = {};
    for (const { outcome } of results) counts[outcome] = (counts[outcome] ?? 0) + 1;
    auditNote(ctx, { after: counts });
    return { results };
  },
);

function changeOf(item: BatchItem, index: number): { change: Change } | { result: BatchResult } {
  if (item.action === "delete") return { change: { kind: "delete", exampleId: item.exampleId } };
  const { payload: given, tags, source, split } = item;
  const fields = { ...(tags && { tags }), ...(source && { source }), ...(split && { split }) };
  if (item.action === "update" && given === undefined) {
    return { change: { kind: "update", exampleId: item.exampleId, patch: fields } };
  }
  const checked = payloadAt(`/items/${index}/payload`, given);
  if ("errors" in checked) {
    const exampleId = item.action === "update" ? item.exampleId : null;
    return { result: { status: 400, outcome: "invalid", exampleId, errors: checked.errors } };
  }
  const { payload } = checked;
  if (item.action === "update") {
    return { change: { kind: "update", exampleId: item.exampleId, patch: { ...fields, payload } } };
  }
  const draft = { payload, tags: item.tags, source: item.source, ...(split && { split }) };
  return { change: { kind: "create", draft, onDuplicate: item.onDuplicate } };
}

const STATUS = { created: 201, updated: 200, unchanged: 200, deleted: 200, duplicate: 409, missing: 404 };

function resultOf(outcome: Outcome, index: number): BatchResult {
  const { status } = outcome;
  const message =
    outcome.status === "duplicate"
      ? duplicateMessage(outcome)
      : outcome.status === "missing"
        ? "The Example was not found."
        : undefined;
  return {
    status: STATUS[status],
    outcome: status,
    exampleId: "exampleId" in outcome ? outcome.exampleId : null,
    errors: message === undefined ? [] : [{ path: `/items/${index}`, message }],
  };
}
