import { sql } from "drizzle-orm";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { queueTicketChanges } from "../../work-items/queue-changes";
import { type ChangeEvent, recordEvents, type Undone } from "../finding-events";
import { undoMerge, undoSplit } from "../grouping/undo-grouping";
import { undoFindingChangeInput, undoneReply } from "../schemas";
import { lockFindingRows, writeStates } from "./change-findings";
import { type State, stateOf } from "./finding-state";

export const undoFindingChange = verb(
  {
    name: "findings.undo",
    summary: "Undo a change of Findings: a review, a bulk change, a merge or a split.",
    description:
      "Restores exactly what the change set. Findings that were changed again in the meantime stay as they are and are counted as skipped. A change can be undone once (409).",
    effect: "write",
    capability: "diagnostics:write",
    input: undoFindingChangeInput,
    reply: undoneReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: undoneReply.pick({ restored: true }) },
  },
  async (ctx, { changeId }) => {
    const events = await ctx.db.execute<ChangeEvent>(sql`
      select finding_id, kind, detail from finding_events
      where project_id = ${ctx.projectId} and change_id = ${changeId} order by at, id`);
    if (events.length === 0) throw notFound("Change");
    if (events.some(({ kind }) => kind === "undone")) {
      throw new ServiceError("conflict", "This change was already undone.");
    }
    auditNote(ctx, { target: { type: "findingChange", id: changeId }, after: null });
    const regrouped = events.some(({ kind }) => kind === "merged")
      ? await undoMerge(ctx, events)
      : events.some(({ kind }) => kind === "split")
        ? await undoSplit(ctx, events)
        : await undoStates(ctx, events);
    await recordEvents(
      ctx,
      regrouped.restored.map((findingId) => ({ findingId, kind: "undone" })),
      { changeId },
    );
    return { restored: regrouped.restored.length, skipped: regrouped.skipped.length };
  },
);

async function undoStates(tx: Ctx, events: readonly ChangeEvent[]): Promise<Undone> {
  const ids = [...new Set(events.map((event) => event.finding_id))];
  const rows = new Map((await lockFindingRows(tx, ids)).map((row) => [row.id, row]));
  const undone: Undone = { restored: [], skipped: [] };
  const states = ids.flatMap((id) => {
    const row = rows.get(id);
    const of = (side: "before" | "after") =>
      Object.assign({}, ...events.filter((event) => event.finding_id === id).map(({ detail }) => detail[side]));
    const [before, after]: Partial<State>[] = [of("before"), of("after")];
    const isAsLeft = row && Object.entries(after!).every(([field, value]) => row[field as keyof State] === value);
    undone[isAsLeft ? "restored" : "skipped"].push(id);
    return isAsLeft ? [{ row, state: { ...stateOf(row), ...before } }] : [];
  });
  await writeStates(tx, states);
  await queueTicketChanges(
    tx,
    states
      .filter(({ row, state }) => row.resolutionStatus !== state.resolutionStatus)
      .map(({ row, state }) => ({
        findingId: row.id,
        kind: state.resolutionStatus === "resolved" ? "resolved" : "reopened",
      })),
  );
  return undone;
}
