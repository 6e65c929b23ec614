import { z } from "zod";
import { operations } from "@/server/operations";
import { count, percent } from "@/server/platform/text/amounts";
import { callOf, clampNote, dollars, line, moreOf, paragraphs } from "../markdown";
import { clamped, cursor, id, idempotencyKey, type ToolCall, tool } from "../tool";

const NOTE_TOKENS = 60;

export const listVariants = tool({
  name: "list_variants",
  title: "List variants",
  description:
    "Lists variants: versions of a changed prompt, model or tool description that can be proven, with their ids.",
  effect: "read",
  input: z.object({
    findingId: id("Only those written for this Finding.").optional(),
    limit: clamped(1, 20, 10),
    cursor,
  }),
  run: async ({ call, shown }, { limit, ...input }) => {
    const { variants, nextCursor } = await call(operations.variants.list, { ...input, limit: limit.used });
    return paragraphs(
      clampNote("limit", limit),
      variants.length === 0 && "There is no such variant.",
      variants
        .map(
          (one) =>
            `- ${line(
              one.id,
              `${shown.name(one.name)} version ${one.version}`,
              `model ${shown.name(one.model)}`,
              one.findingId !== null && `for ${one.findingId}`,
              one.note !== "" && shown.short(one.note, NOTE_TOKENS),
            )}`,
        )
        .join("\n"),
      moreOf("list_variants", { ...input, limit: limit.used }, nextCursor),
    );
  },
});

export const startProof = tool({
  name: "start_proof",
  title: "Start a proof",
  description:
    "Proves a variant in the background: what runs today and the variant answer a Finding's conversations, or a Dataset's held-out Examples, anew. It spends money on connected models, up to maxCost; with dryRun it only says how much. Follow it with read_progress.",
  effect: "adds",
  input: z.object({
    variantId: id("As in var_…."),
    findingId: id("Its conversations are replayed.").optional(),
    datasetId: id("Instead: its held-out Examples.").optional(),
    maxRows: z.int().min(1).max(500).optional(),
    maxCost: z.number().gt(0).max(100_000).optional().describe("US dollars."),
    dryRun: z.boolean().optional(),
    idempotencyKey,
  }),
  run: async ({ call, shown }, { maxCost, dryRun, idempotencyKey: key, ...input }) => {
    if (dryRun) {
      const { estimate } = await call(operations.variants.estimateProof, input);
      return line(
        `It would compare ${count(estimate.rows, "row")} with ${count(estimate.requests, "request")} (${estimate.known} more are known) for ${dollars(estimate.cost)}`,
        `against ${shown.name(estimate.baseline.model)}`,
        estimate.notApplied > 0 && `the change does not apply to ${estimate.notApplied}`,
        estimate.unpriced.length > 0 && `without a price: ${estimate.unpriced.slice(0, 5).map(shown.name).join(" ")}`,
      );
    }
    const { evaluation } = await call(operations.variants.prove, { ...input, maxCost }, key);
    return paragraphs(
      `Proof ${evaluation.id} is ${evaluation.status}.`,
      callOf("read_progress", { kind: "proof", id: evaluation.id }),
    );
  },
});

export const readProgress = tool({
  name: "read_progress",
  title: "Read the progress",
  description: "Reads how far a backfill or a proof is and, once it has ended, its result.",
  effect: "read",
  input: z.object({ kind: z.enum(["backfill", "proof"]), id: id("Of the backfill or the proof.") }),
  run: (on, { kind, id: own }) => (kind === "backfill" ? backfillProgress(on, own) : proofProgress(on, own)),
});

async function backfillProgress({ call, shown }: ToolCall, backfillId: string) {
  const { backfill } = await call(operations.backfills.get, { backfillId });
  const { counts, etaMs, error } = backfill;
  return paragraphs(
    `Backfill ${line(backfill.id, backfill.scanStatus, backfill.pausedAt !== null && "paused", backfill.cancelledAt !== null && "cancelled")}.`,
    line(
      `${counts.completed.toLocaleString("en")} of ${count(backfill.conversationsExpected, "conversation")} read`,
      `${counts.skipped} skipped`,
      `${counts.failed} failed`,
      etaMs !== null && `about ${Math.ceil(etaMs / 1000)} s left`,
    ),
    error !== null && shown.block(error, 300),
    callOf("list_findings", { ruleId: backfill.ruleId }),
  );
}

async function proofProgress({ call, shown }: ToolCall, evaluationId: string) {
  const { evaluation } = await call(operations.evaluations.get, { evaluationId });
  const { proof, comparison, verdict, error } = evaluation;
  const rate = (interval: { rate: number; low: number; high: number } | null) =>
    interval === null
      ? "unknown"
      : `${percent(interval.rate)} (95 %: ${percent(interval.low)} to ${percent(interval.high)})`;
  return paragraphs(
    `Proof ${line(evaluation.id, evaluation.status, `${evaluation.done} of ${count(evaluation.total, "row")}`, `${dollars(evaluation.cost)} spent`)}.`,
    verdict !== null && `Verdict: ${line(verdict.replaceAll("_", " "), proof?.because?.replaceAll("_", " "))}.`,
    proof !== null &&
      `The Finding is in ${proof.foundBefore} of ${proof.n} answers before and ${proof.foundAfter} after; the difference is ${rate(proof.difference)}.`,
    proof?.right &&
      `Right only after: ${proof.right.gained}; right only before: ${proof.right.lost}; of ${proof.right.n} judged.`,
    comparison !== null && `Better ${comparison.win}, the same ${comparison.tie}, worse ${comparison.loss}.`,
    error !== null && shown.block(error.message, 300),
  );
}
