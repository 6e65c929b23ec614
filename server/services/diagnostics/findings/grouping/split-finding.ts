import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import { findings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { notFound, unprocessable } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { updateConversationCounts } from "../counts/conversation-counts";
import { recountFindings } from "../counts/recount-findings";
import { recordEvents } from "../finding-events";
import { readFinding } from "../get-finding";
import { type FindingRow, lockFindingRows } from "../review/change-findings";
import { changedRegroupedReply, regroupedReply, splitFindingInput } from "../schemas";
import { moveOccurrences } from "./move-occurrences";
import { lockRulesOf } from "./undo-grouping";

export const splitFinding = verb(
  {
    name: "findings.split",
    summary: "Split causes or occurrences off a Finding, into a new one.",
    description:
      "Returns the new Finding, which is unreviewed. With `causes`, later occurrences of these and of similar causes follow it; with `occurrences`, later Runs on these conversations do. Something has to stay: splitting off everything is a 422.",
    effect: "write",
    capability: "diagnostics:write",
    input: splitFindingInput,
    reply: regroupedReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: changedRegroupedReply },
  },
  async (ctx, { findingId, causes, occurrences }) => {
    await lockRulesOf(ctx, [findingId]);
    const [source] = await lockFindingRows(ctx, [findingId]);
    if (!source) throw notFound("Finding");
    const id = newId("fch");
    const newFindingId = await createFinding(ctx, source, causes);
    if (causes) await takeCauses(ctx, source, newFindingId, [...new Set(causes)]);
    else await takeOccurrences(ctx, source, newFindingId, [...new Set(occurrences)]);

    await recountFindings(ctx, [findingId, newFindingId], null);
    await updateConversationCounts(ctx, [findingId, newFindingId]);
    await recordEvents(
      ctx,
      [
        { findingId, kind: "split", detail: { into: newFindingId } },
        { findingId: newFindingId, kind: "split", detail: { from: findingId, separated: source.separated } },
      ],
      { changeId: id },
    );
    auditNote(ctx, {
      target: { type: "finding", id: findingId },
      after: { newFindingId, causes: causes?.length ?? 0, occurrences: occurrences?.length ?? 0 },
    });
    const finding = await readFinding(ctx, newFindingId);
    return { finding, change: { id, count: 2, findingIds: [newFindingId, findingId] } };
  },
);

async function createFinding(tx: Ctx, source: FindingRow, causes: readonly string[] | undefined): Promise<string> {
  const id = newId("fnd");
  const [cause] = await tx.db.execute<{ signal: string }>(sql`
    select signal from finding_causes
    where project_id = ${tx.projectId} and id = any(${textArray(causes ?? [])}) order by id limit 1`);
  await tx.db.insert(findings).values({
    projectId: tx.projectId,
    id,
    ruleId: source.ruleId,
    signal: cause?.signal ?? source.signal,
    title: source.title,
    summary: source.summary,
    severity: source.detectedSeverity,
    detectedSeverity: source.detectedSeverity,
    diagnosticScore: 0,
    diagnosticScoreParts: { severity: 0, confidence: 0, spread: 0 },
    reviewStatus: "unreviewed",
    separated: true,
    firstDetectedAt: source.firstDetectedAt,
    lastDetectedAt: source.lastDetectedAt,
    updatedAt: NOW,
  });
  return id;
}

/** Moves causes. Pins both sides and keeps them apart, so that neither rereading nor a cause similar to both undoes this. */
async function takeCauses(tx: Ctx, source: FindingRow, into: string, causeIds: readonly string[]) {
  const all = await tx.db.execute<{ id: string; taken: boolean }>(sql`
    select id, id = any(${textArray(causeIds)}) as taken from finding_causes
    where project_id = ${tx.projectId} and finding_id = ${source.id}`);
  if ([...all].filter(({ taken }) => taken).length < causeIds.length) {
    throw unprocessable("/causes", "Not all of these are causes of this Finding.");
  }
  if ([...all].every(({ taken }) => taken)) throw unprocessable("/causes", "At least one cause has to stay.");
  await tx.db.execute(sql`
    update finding_causes set pinned = true,
      finding_id = case when id = any(${textArray(causeIds)}) then ${into} else finding_id end
    where project_id = ${tx.projectId} and finding_id = ${source.id}`);
  await tx.db.execute(sql`
    update findings set separated = true where project_id = ${tx.projectId} and id = ${source.id}`);
  await moveOccurrences(tx, { from: source.id, to: into, causeIds });
}

async function takeOccurrences(tx: Ctx, source: FindingRow, into: string, occurrenceIds: readonly string[]) {
  const moved = await tx.db.execute(sql`
    update occurrences set finding_id = ${into}, placed = true
    where project_id = ${tx.projectId} and finding_id = ${source.id} and id = any(${textArray(occurrenceIds)})
    returning id`);
  if (moved.length < occurrenceIds.length) {
    throw unprocessable("/occurrences", "Not all of these are occurrences of this Finding.");
  }
  const [left] = await tx.db.execute(sql`
    select 1 from occurrences where project_id = ${tx.projectId} and finding_id = ${source.id} limit 1`);
  if (!left) throw unprocessable("/occurrences", "At least one occurrence has to stay.");
}
