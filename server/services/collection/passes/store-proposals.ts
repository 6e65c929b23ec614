import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import { exampleCandidates } from "@/db/schema";
import { storedPayload } from "@/db/schema/columns";
import { insertRows } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import type { LockedDataset } from "@/server/services/datasets";
import { type Collected, type Offered, selectProposals } from "../proposals";
import { CAPS } from "./caps";
import { addCounts, type OfferedProposal, type ReadProposals } from "./read-proposals";

/** A waiting candidate that nobody has open: later proposals may replace it. */
type Rival = Offered & { stored: true };
type Competitor = OfferedProposal | Rival;
const isStored = (one: Competitor): one is Rival => "stored" in one;

/**
 * Stores the selected proposals as candidates of a locked Dataset, and drops candidates of the same conversations that are no
 * longer proposed. Waiting candidates compete with the offered ones again, so that the order in which conversations are read
 * does not decide which of two near-duplicates, or of one user's, is kept. Reviewed candidates stay.
 */
export async function storeProposals(
  tx: Ctx,
  { id: datasetId }: LockedDataset,
  passId: string,
  { read, offered, left }: ReadProposals,
): Promise<{ proposed: number; left: Record<string, number> }> {
  const found = await candidatesLike(tx, datasetId, read, offered);
  const open = found.filter(({ is_open }) => is_open);
  const fixed = found.filter(({ is_open }) => !is_open);
  const keys = new Set(offered.map(({ key }) => key));
  const rereads = new Set(read);
  const rivals = open
    .filter(({ key, conversation_id }) => !keys.has(key) && !rereads.has(conversation_id))
    .map(rivalOf);
  const competitors: Competitor[] = [...offered, ...rivals];
  const collected = await collectedOf(tx, datasetId, competitors, [...open.map(({ key }) => key), ...keys], fixed);
  const { selected, left: passedOver } = selectProposals(competitors, CAPS, collected);
  const kept = new Map(selected.map((one) => [one.key, one]));
  const unchanged = new Set(
    open.flatMap(({ key, content_hash }) => (isSame(kept.get(key), content_hash) ? [key] : [])),
  );
  await drop(
    tx,
    datasetId,
    open.flatMap(({ key }) => (unchanged.has(key) ? [] : [key])),
  );
  const added = selected.filter((one): one is OfferedProposal => !isStored(one) && !unchanged.has(one.key));
  await insert(tx, datasetId, passId, added);
  const known = new Set(found.map(({ key }) => key));
  const counts = { ...left };
  addCounts(counts, passedOver);
  return { proposed: added.filter(({ key }) => !known.has(key)).length, left: counts };
}

const isSame = (one: Competitor | undefined, contentHash: string) =>
  one !== undefined && (isStored(one) || one.contentHash === contentHash);

type Found = {
  key: string;
  conversation_id: string;
  content_hash: string;
  reason_code: Offered["reasonCode"];
  user_id: string | null;
  finding_id: string | null;
  signature: number[];
  is_open: boolean;
  rejected: boolean;
};

const rivalOf = (row: Found): Rival => ({
  key: row.key,
  reasonCode: row.reason_code,
  userId: row.user_id,
  findingId: row.finding_id,
  signature: row.signature,
  stored: true,
});

const valuesOf = <T>(items: readonly T[], of: (item: T) => string | null) =>
  textArray([...new Set(items.flatMap((item) => of(item) ?? []))]);

/** Returns the Dataset's candidates from the same conversations, users and Findings, and potential near-duplicates. */
async function candidatesLike(
  tx: Ctx,
  datasetId: string,
  read: readonly string[],
  offered: readonly OfferedProposal[],
) {
  const bands = textArray([...new Set(offered.flatMap((one) => one.bands))]);
  const ofDataset = sql`project_id = ${tx.projectId} and dataset_id = ${datasetId}`;
  const rows = await tx.db.execute<Found>(sql`
    select provenance_key as key, conversation_id, content_hash, reason_code, user_id, finding_id,
      to_jsonb(signature) as signature, status = 'rejected' as rejected,
      status = 'waiting' and (claimed_until is null or claimed_until <= ${NOW}) as is_open
    from example_candidates
    where ${ofDataset} and id in (
      select id from example_candidates where project_id = ${tx.projectId} and conversation_id = any(${textArray([...read])})
      union select id from example_candidates where ${ofDataset} and bands && ${bands}
      union select id from example_candidates
        where project_id = ${tx.projectId} and user_id = any(${valuesOf(offered, ({ userId }) => userId)}) and status = 'waiting'
      union select id from example_candidates
        where ${ofDataset} and finding_id = any(${valuesOf(offered, ({ findingId }) => findingId)}) and status = 'waiting')
    order by id for update`);
  return [...rows];
}

/** Returns which of these keys the Dataset has Examples for, including imported ones, which never were candidates. */
async function storedKeys(tx: Ctx, datasetId: string, keys: readonly string[]) {
  const rows = await tx.db.execute<{ key: string }>(sql`
    select provenance_key as key from example_revisions
    where project_id = ${tx.projectId} and dataset_id = ${datasetId} and to_version is null
      and provenance_key = any(${textArray([...keys])})`);
  return [...rows].map(({ key }) => key);
}

/**
 * Returns what the Dataset already has that competes with the offered proposals: its Examples, the reviewed candidates, and the
 * others of the same users and Findings.
 */
async function collectedOf(
  tx: Ctx,
  datasetId: string,
  competitors: readonly Competitor[],
  competing: readonly string[],
  fixed: readonly Found[],
): Promise<Collected> {
  const counted = async (column: "user_id" | "finding_id", values: ReturnType<typeof textArray>) => {
    const name = sql.raw(column);
    const rows = await tx.db.execute<{ id: string; count: number }>(sql`
      select ${name} as id, count(*)::int as count from example_candidates
      where project_id = ${tx.projectId} and dataset_id = ${datasetId} and ${name} = any(${values})
        and status <> 'rejected' and not provenance_key = any(${textArray([...competing])})
      group by 1`);
    return new Map([...rows].map(({ id, count }) => [id, count]));
  };
  return {
    keys: new Set([...fixed.map(({ key }) => key), ...(await storedKeys(tx, datasetId, competing))]),
    signatures: fixed.map(({ signature }) => signature),
    byUser: await counted(
      "user_id",
      valuesOf(competitors, ({ userId }) => userId),
    ),
    byFinding: await counted(
      "finding_id",
      valuesOf(competitors, ({ findingId }) => findingId),
    ),
  };
}

async function drop(tx: Ctx, datasetId: string, keys: readonly string[]) {
  if (keys.length === 0) return;
  await tx.db.execute(sql`
    delete from example_candidates
    where project_id = ${tx.projectId} and dataset_id = ${datasetId} and provenance_key = any(${textArray([...keys])})`);
}

const LEFT = [
  "status",
  "claimed_by",
  "claimed_until",
  "skipped_at",
  "reviewed_by",
  "reviewed_at",
  "reject_reason",
  "example_id",
  "created_at",
] as const;

const insert = (tx: Ctx, datasetId: string, passId: string, added: readonly OfferedProposal[]) =>
  insertRows(tx.db, exampleCandidates, {
    same: { project_id: tx.projectId, dataset_id: datasetId, pass_id: passId },
    left: LEFT,
    onConflict: "nothing",
    rows: added.map((one) => ({
      id: one.id,
      objective: one.proposal.objective,
      reason_code: one.reasonCode,
      reason: one.proposal.reason,
      source_kind: one.proposal.source,
      conversation_id: one.conversationId,
      user_id: one.userId,
      turn: one.proposal.turn,
      finding_id: one.findingId,
      knowledge_goal_id: one.proposal.knowledgeGoalId,
      proposed_by_model: one.proposal.proposedByModel,
      payload: storedPayload(one.proposal.payload),
      content_hash: one.contentHash,
      provenance_key: one.key,
      signature: one.signature,
      bands: one.bands,
    })),
  });
