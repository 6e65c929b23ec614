import { and, eq, inArray, lte, sql } from "drizzle-orm";
import { exampleRevisions } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import type { EvaluationRecord } from "./read-evaluations";
import type { PromptMessage } from "./schemas";

type Row = { exampleId: string | null; prompt: PromptMessage[] };
type Message = { role: string; content?: string | null; weight?: number };
type Payload = { input: { messages: Message[]; tools?: unknown[] } };

/** Returns what a trainer answers for each row: the prompt or, where an Example has tools, its messages and tools as they were sent. */
export async function samplePrompts(ctx: Ctx, record: EvaluationRecord, rows: readonly Row[]): Promise<object[]> {
  const withTools = await payloadsWithTools(ctx, record, rows);
  return rows.map(({ exampleId, prompt }) => {
    const payload = exampleId === null ? undefined : withTools.get(exampleId);
    if (!payload) return { messages: prompt };
    const { messages, tools } = payload.input;
    return { messages: messages.map(messageOf), ...(tools ? { tools } : {}) };
  });
}

const messageOf = ({ role, content, weight: _, ...rest }: Message) => ({
  ...rest,
  role: role === "developer" ? "system" : role,
  content: content ?? "",
});

async function payloadsWithTools(
  { db, projectId }: Ctx,
  { datasetId, datasetVersion }: EvaluationRecord,
  rows: readonly Row[],
): Promise<Map<string, Payload>> {
  const ids = rows.flatMap(({ exampleId }) => exampleId ?? []);
  if (datasetId === null || datasetVersion === null || ids.length === 0) return new Map();
  const { payload, exampleId } = exampleRevisions;
  const found = await db
    .select({ exampleId, payload })
    .from(exampleRevisions)
    .where(
      and(
        eq(exampleRevisions.projectId, projectId),
        eq(exampleRevisions.datasetId, datasetId),
        inArray(exampleId, ids),
        lte(exampleRevisions.fromVersion, datasetVersion),
        sql`coalesce(${exampleRevisions.toVersion} > ${datasetVersion}, true)`,
        sql`(${payload} -> 'input' ? 'tools'
          or jsonb_path_exists(${payload}, '$.input.messages[*] ? (@.role == "tool" || exists(@.tool_calls))'))`,
      ),
    );
  return new Map(found.map((one) => [one.exampleId, one.payload as Payload]));
}
