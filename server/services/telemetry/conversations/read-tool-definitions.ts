import type { Ctx } from "@/server/platform/context";
import { type ToolDefinition, toolDefinitionsOf } from "../otlp";
import { loadSpanRows } from "../projection/load-spans";

/** Returns the tools that a model call was given, as its span reports them; an empty list if it reports none. */
export async function readToolDefinitions(
  ctx: Pick<Ctx, "db" | "projectId">,
  { traceId, spanId }: { traceId: string; spanId: string },
): Promise<ToolDefinition[]> {
  const [span] = await loadSpanRows(ctx.db, ctx.projectId, traceId, [spanId]);
  return span ? toolDefinitionsOf(span.attributes) : [];
}
