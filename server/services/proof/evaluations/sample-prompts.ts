import { and, eq, inArray, lte, sql } from "drizzle-orm";
import { exampleRevisions } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import type { EvaluationRecord } from "./read-evaluations";
import type { PromptMessage } from "./schemas";

type Row = { exampleId: string | null; prompt: PromptMessage[]; request: object | null };
type OfVersion = Pick<EvaluationRecord, "datasetId" | "datasetVersion">;
type Message = { role: string; content?: string | null; weight?: number };
type Payload = { input: { messages: Message[]; tools?: unknown[] } };

/** Returns what a model answers for each row: the prompt or, where there are tools, the messages and tools as they were sent. */
export async function samplePrompts(ctx: Ctx, version: OfVersion, rows: readonly Row[]): Promise<object[]> {
  const withTools = await payloadsWithTools(ctx, version, rows);
  return rows.map(({ exampleId, prompt, request }) => {
    if (request !== null) return request;
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
  { datasetId, datasetVersion }: OfVersion,
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
