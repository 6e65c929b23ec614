import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { EXAMPLE_REACH, provenanceKeyOf } from "@/server/services/datasets";
import { contentHashOf } from "@/server/services/datasets/chat-payload";
import { isAdjudication } from "@/server/services/diagnostics/adjudicator";
import { readBeginnings } from "@/server/services/telemetry";
import { bandsOf, type Offered, type Proposal, type Propose, proposals, signatureOf } from "../proposals";
import type { Collecting } from "./collection-settings";
import { goalsIn, occurrencesIn } from "./read-evidence";

/** A conversation to read, with its last activity at that time. */
export type Settled = { id: string; lastActivityAt: number };

/** A proposal with the properties that decide whether it is collected. */
export type OfferedProposal = Offered & {
  id: string;
  conversationId: string;
  contentHash: string;
  bands: readonly string[];
  proposal: Proposal;
};
/** `read`: the conversations that still exist. `left`: how many were left out, by reason. */
export type ReadProposals = {
  datasetId: string;
  read: string[];
  offered: OfferedProposal[];
  left: Record<string, number>;
};

/**
 * Reads conversations once and returns what each Dataset's objective proposes for them; long ones only as far as an Example
 * reaches. If `propose` is given, asks the connected model for the Datasets that use one, about all these conversations
 * concurrently. Stores no proposals.
 */
export async function readProposals(
  ctx: Ctx,
  settled: readonly Settled[],
  datasets: readonly Collecting[],
  propose: Propose | null = null,
): Promise<ReadProposals[]> {
  const goalsById = new Map(datasets.flatMap(({ goals }) => goals.map((goal) => [goal.id, goal] as const)));
  const results = datasets.map(({ datasetId }) => ({ datasetId, read: [], offered: [], left: {} }) as ReadProposals);
  const wanted = settled.map(({ id, lastActivityAt }) => ({ conversationId: id, lastActivityAt, traceIds: [] }));
  for await (const piece of readBeginnings(ctx, wanted, EXAMPLE_REACH)) {
    const read = piece.filter((one) => !isAdjudication(ctx.projectId, one));
    const ids = read.map(({ id }) => id);
    const occurrences = await occurrencesIn(ctx, ids);
    const matching = await goalsIn(ctx, ids, [...goalsById.values()]);
    const proposed = await Promise.all(
      read.map((snapshot) =>
        Promise.all(
          datasets.map(({ goals, asksModel, ...settings }) => {
            const named = matching.get(snapshot.id);
            const evidence = {
              occurrences: occurrences.get(snapshot.id) ?? [],
              feedback: snapshot.feedback,
              goals: goals.filter(({ id }) => named?.has(id)),
              isCut: snapshot.isCut,
            };
            return proposals(snapshot, evidence, { ...settings, filters: null }, asksModel ? propose : null);
          }),
        ),
      ),
    );
    for (const [at, snapshot] of read.entries()) {
      for (const [nth, result] of results.entries()) {
        const { proposals: found, left } = proposed[at]![nth]!;
        result.read.push(snapshot.id);
        addCounts(result.left, left);
        result.offered.push(...found.map((proposal) => offeredOf(snapshot, proposal)));
      }
    }
  }
  return results;
}

function offeredOf({ id, userId }: { id: string; userId: string | null }, proposal: Proposal): OfferedProposal {
  const { objective, turn, payload } = proposal;
  const signature = signatureOf(payload);
  return {
    id: newId("cand"),
    key: provenanceKeyOf({ source: { conversationId: id, turn }, objective }),
    reasonCode: proposal.reasonCode,
    conversationId: id,
    userId,
    findingId: proposal.findingId,
    contentHash: contentHashOf(payload),
    signature,
    bands: bandsOf(signature),
    proposal,
  };
}

/** Returns what was read, without these conversations. */
export const without = (read: ReadProposals, ids: ReadonlySet<string>): ReadProposals => ({
  ...read,
  read: read.read.filter((id) => !ids.has(id)),
  offered: read.offered.filter(({ conversationId }) => !ids.has(conversationId)),
});

/** Adds counts by reason to others. */
export function addCounts(to: Record<string, number>, counts: Readonly<Record<string, number | undefined>>) {
  for (const [code, count] of Object.entries(counts)) to[code] = (to[code] ?? 0) + (count ?? 0);
}
