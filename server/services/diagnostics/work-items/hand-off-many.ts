import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { changeFindings } from "../findings/review/change-findings";
import { whereTo } from "./connection-for";
import { requireUnmerged } from "./hand-off";
import { insertWorkItem } from "./insert-work-item";
import { linkedItem } from "./rows";
import { HAND_OFF_MANY_MAX, handOffManyInput, handOffManyReply } from "./schemas";

export const handOffMany = verb(
  {
    name: "workItems.createMany",
    summary: "Create tickets for several Findings in an issue tracker, and confirm the Findings.",
    description: `At most ${HAND_OFF_MANY_MAX} Findings. Jobs create the tickets: each result is a \`pending\` work item, or the problem of that Finding. A Finding that already has a ticket keeps it.`,
    effect: "write",
    capability: "diagnostics:write",
    input: handOffManyInput,
    reply: handOffManyReply,
  },
  async (ctx, { findingIds, ...input }) => {
    const { settings: _, ...to } = await whereTo(ctx, input);
    const results = new Map<string, { workItemId: string | null; problem: string | null }>();
    // In the order in which every writer of several Findings locks them.
    for (const findingId of [...new Set(findingIds)].sort())
      results.set(findingId, await handOffOne(ctx, findingId, to));
    const handed = [...results].flatMap(([id, { problem }]) => (problem === null ? [id] : []));
    await changeFindings(ctx, handed, { reviewStatus: "confirmed" }, newId("fch"));
    auditNote(ctx, { target: null, after: { ...to, count: handed.length } });
    return { results: findingIds.map((findingId) => ({ findingId, ...results.get(findingId)! })) };
  },
);

async function handOffOne(tx: Ctx, findingId: string, to: Omit<Parameters<typeof insertWorkItem>[1], "findingId">) {
  try {
    await requireUnmerged(tx, findingId);
  } catch (error) {
    if (error instanceof ServiceError) return { workItemId: null, problem: error.message };
    throw error;
  }
  const linked = await linkedItem(tx, findingId);
  if (linked) return { workItemId: linked.id, problem: "It already has a ticket." };
  const { id } = await insertWorkItem(tx, { findingId, ...to }, { leased: false });
  return { workItemId: id, problem: null };
}
