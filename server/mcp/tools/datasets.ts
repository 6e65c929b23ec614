import { z } from "zod";
import { operations } from "@/server/operations";
import { count } from "@/server/platform/text/amounts";
import { clampNote, line, moreOf, paragraphs } from "../markdown";
import { clamped, cursor, id, tool } from "../tool";

const PROBLEMS_SHOWN = 10;

export const listDatasets = tool({
  name: "list_datasets",
  title: "List Datasets",
  description: "Lists Datasets, which have Examples for training and evaluation, with their ids.",
  effect: "read",
  input: z.object({
    q: z.string().min(1).max(200).optional().describe("Part of the name."),
    limit: clamped(1, 40, 20),
    cursor,
  }),
  run: async ({ call, shown }, { limit, ...input }) => {
    const { datasets, nextCursor } = await call(operations.datasets.list, { ...input, limit: limit.used });
    return paragraphs(
      clampNote("limit", limit),
      datasets.length === 0 && "There is no such Dataset.",
      datasets
        .map(({ id: own, name, exampleCount }) => `- ${line(own, shown.name(name), count(exampleCount, "Example"))}`)
        .join("\n"),
      moreOf("list_datasets", { ...input, limit: limit.used }, nextCursor),
    );
  },
});

export const addToDataset = tool({
  name: "add_to_dataset",
  title: "Add to a Dataset",
  description:
    "Adds conversations, or the newest 100 of a Finding, to a Dataset as Examples, up to and including the last answer or the one at `turn`. Conversations that it already has are not added twice.",
  effect: "adds",
  input: z.object({
    datasetId: id("As in ds_…."),
    conversationIds: z.array(z.string().max(200)).min(1).max(100).optional(),
    findingId: id("Instead of conversationIds.").optional(),
    turn: z.int().min(0).max(1_000_000).optional().describe("Index of the answer; for a single conversation."),
    tags: z.array(z.string().max(200)).max(20).optional(),
  }),
  run: async ({ call, shown }, { datasetId, ...input }) => {
    const { results } = await call(operations.examples.addConversations, { ...input, datasetIds: [datasetId] });
    const of = (wanted: (typeof results)[number]["status"]) => results.filter(({ status }) => status === wanted);
    const skipped = of("skipped");
    return paragraphs(
      line(
        `${count(of("created").length, "Example")} added`,
        `${of("duplicate").length} were there`,
        `${skipped.length} could not be added`,
      ),
      skipped
        .slice(0, PROBLEMS_SHOWN)
        .map(({ conversationId, problem }) => `- ${conversationId}: ${shown.name(problem ?? "")}`)
        .join("\n"),
      skipped.length > PROBLEMS_SHOWN && `${skipped.length - PROBLEMS_SHOWN} more were left out of this list.`,
    );
  },
});
