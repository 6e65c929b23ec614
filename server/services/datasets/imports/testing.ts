import { and, eq, isNull } from "drizzle-orm";
import { exampleRevisions } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { bodyOfChunks } from "@/server/platform/http/testing";
import { uploadFile } from "@/server/services/files";
import { exportDataset } from "../exports/export-dataset";
import type { ExportFormat } from "../formats/schemas";
import { createImport } from "./create-import";
import { getImport } from "./read-imports";
import { runImport } from "./run-import";

/** For tests: a row of OpenAI messages. */
export const chatLine = (question: string, more: object = {}) =>
  JSON.stringify({
    messages: [
      { role: "user", content: question },
      { role: "assistant", content: `The answer to ${question}` },
    ],
    ...more,
  });

/** For tests: stores a file of these lines, and returns its id. */
export async function storedFile(ctx: Ctx, lines: readonly string[], name = "rows.jsonl"): Promise<string> {
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  return (await uploadFile(ctx, { name }, { body: bodyOfChunks(bytes) })).file.id;
}

export const newImport = async (ctx: Ctx, datasetId: string, lines: readonly string[], more: object = {}) => {
  const fileId = await storedFile(ctx, lines);
  return (await createImport(ctx, { datasetId, fileId, ...more })).import.id;
};

/** For tests: runs an import to its end and returns it. */
export async function runToEnd(ctx: Ctx, datasetId: string, importId: string) {
  while (!(await runImport(ctx, importId, { forMs: 5_000 })).done);
  return (await getImport(ctx, { datasetId, importId })).import;
}

/** For tests: runs an import until part of its rows is stored, and returns how many. */
export async function runPart(ctx: Ctx, datasetId: string, importId: string): Promise<number> {
  for (;;) {
    const { rowsDone } = (await getImport(ctx, { datasetId, importId })).import;
    if (rowsDone > 0) return rowsDone;
    await runImport(ctx, importId, { forMs: 0 });
  }
}

/** For tests: imports lines and returns the finished import. */
export const imported = async (ctx: Ctx, datasetId: string, lines: readonly string[], more: object = {}) =>
  runToEnd(ctx, datasetId, await newImport(ctx, datasetId, lines, more));

/** For tests: returns the lines of a Dataset's export. */
export async function exportedLines(ctx: Ctx, datasetId: string, format: ExportFormat = "lossless"): Promise<string[]> {
  const { body } = await exportDataset(ctx, { datasetId, format });
  let text = "";
  for await (const chunk of body as AsyncIterable<string | Uint8Array>) text += Buffer.from(chunk as string).toString();
  return text.trim().split("\n");
}

/** For tests: returns a Dataset's current Examples, without what differs between two Datasets with the same content. */
export async function contentsOf(ctx: Ctx, datasetId: string) {
  const rows = await ctx.db
    .select({
      payload: exampleRevisions.payload,
      tags: exampleRevisions.tags,
      split: exampleRevisions.split,
      source: exampleRevisions.sourceKind,
      externalRef: exampleRevisions.externalRef,
      objective: exampleRevisions.objective,
      conversationId: exampleRevisions.conversationId,
      userId: exampleRevisions.userId,
      turn: exampleRevisions.turn,
      findingId: exampleRevisions.findingId,
      provenanceKey: exampleRevisions.provenanceKey,
    })
    .from(exampleRevisions)
    .where(
      and(
        eq(exampleRevisions.projectId, ctx.projectId),
        eq(exampleRevisions.datasetId, datasetId),
        isNull(exampleRevisions.toVersion),
      ),
    )
    .orderBy(exampleRevisions.ordinal);
  return rows;
}
