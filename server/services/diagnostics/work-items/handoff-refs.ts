import { and, eq, inArray, isNotNull } from "drizzle-orm";
import { workItems } from "@/db/schema";
import { LINKED_STATES } from "@/db/schema/enumerations";
import type { Ctx } from "@/server/platform/context";

/** Returns the tickets that Findings are linked to, as `<tracker>:<destination>#<number>`, by the Finding's id. */
export async function handoffRefs(ctx: Ctx, findingIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await ctx.db
    .select({ findingId: workItems.findingId, provider: workItems.provider, key: workItems.externalKey })
    .from(workItems)
    .where(
      and(
        eq(workItems.projectId, ctx.projectId),
        inArray(workItems.findingId, findingIds),
        inArray(workItems.state, LINKED_STATES),
        isNotNull(workItems.externalKey),
      ),
    );
  return new Map(rows.map(({ findingId, provider, key }) => [findingId, `${provider}:${numbered(key!)}`]));
}

/** `ENG-12` is written `ENG#12`, like `owner/repo#12`. */
const numbered = (key: string) => (key.includes("#") ? key : key.replace(/-(?=\d+$)/, "#"));
