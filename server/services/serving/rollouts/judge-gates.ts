import { nonInferiority } from "@/server/services/proof";
import type { Gate } from "./schemas";

type Checkpoint = { metrics: Record<string, number | null> };

const gate = (
  name: Gate["gate"],
  status: Gate["status"],
  message: string,
  measured: number | null = null,
  allowed: number | null = null,
): Gate => ({ gate: name, status, message, measured, allowed });

const shown = (value: number) => String(Number(value.toPrecision(4)));
const percent = (part: number) => `${shown(part * 100)} %`;

/** Judges whether a job has a checkpoint that can be deployed. */
export function judgeCheckpoint(found: { profile: unknown; taintedAt: number | null } | undefined): Gate {
  if (!found) return gate("checkpoint", "failed", "The job has no checkpoint whose files are stored.");
  if (found.taintedAt !== null) {
    return gate("checkpoint", "failed", "Some of its training data was deleted with a user or conversation.");
  }
  return found.profile === null
    ? gate("checkpoint", "failed", "The checkpoint has not generated an answer.")
    : gate("checkpoint", "passed", "The job succeeded, and its checkpoint generated an answer.");
}

/** What a validation loss is the mean of. Checkpoints of before this was recorded have the mean over batches. */
const UNITS = { eval_trained_tokens: "trained token", eval_pairs: "pair", eval_answers: "answer" } as const;
const unitOf = ({ metrics }: Checkpoint) =>
  Object.entries(UNITS).find(([name]) => typeof metrics[name] === "number")?.[1] ?? "batch";

/**
 * Judges whether the validation loss is low enough compared with the deployed checkpoint's. `null`: unknown, which does not
 * count as lower. Losses that are means of different things are not compared.
 */
export function judgeLoss(candidate: Checkpoint, incumbent: Checkpoint | null, maxIncrease: number): Gate {
  if (!incumbent) return gate("validation_loss", "not_applicable", "Nothing is deployed under this name yet.");
  const [measured, before] = [candidate.metrics.eval_loss ?? null, incumbent.metrics.eval_loss ?? null];
  if (before === null) {
    return gate(
      "validation_loss",
      "not_applicable",
      "The deployed model has no validation loss to compare with.",
      measured,
    );
  }
  const allowed = before * (1 + maxIncrease);
  const [unit, unitBefore] = [unitOf(candidate), unitOf(incumbent)];
  if (measured !== null && unit !== unitBefore) {
    return gate(
      "validation_loss",
      "not_applicable",
      `Its validation loss is per ${unit} and that of the deployed model per ${unitBefore}, so they cannot be compared.`,
      measured,
    );
  }
  if (measured === null) {
    return gate(
      "validation_loss",
      "failed",
      "It has no validation loss, but the deployed model has one.",
      null,
      allowed,
    );
  }
  const isLow = measured <= allowed;
  const bound = `the deployed model's is ${shown(before)}, and ${percent(maxIncrease)} more is allowed`;
  const message = `Its validation loss is ${shown(measured)}: ${bound}.`;
  return gate("validation_loss", isLow ? "passed" : "failed", message, measured, allowed);
}

const PARITY: Record<"passed" | "failed" | "waiting", string> = {
  passed: "The served format answers like the checkpoint.",
  failed: "The format to be served answers differently from the checkpoint.",
  waiting: "Answers are being compared.",
};

/** Judges whether the form to be served answers like the checkpoint; `why` is the reason if it could not be compared. */
export const judgeParity = (form: object | null, status: "passed" | "failed" | "waiting", why?: string): Gate =>
  form === null
    ? gate("parity", "not_applicable", "The checkpoint is served as it is.")
    : gate("parity", status, why ?? PARITY[status]);

type Comparison =
  | { status: "waiting" }
  | { status: "done"; pairs: { n: number; gained: number; lost: number }; seenOnly: boolean }
  | { status: "failed"; message: string }
  | { status: "none"; message: string }
  | { status: "nothing_held_out"; message: string };

const points = (share: number) => `${shown(share * 100)} points`;

/**
 * Judges whether right answers to held-out Examples become rarer by less than the margin: by a test of non-inferiority. Where
 * the rows are too few to say, it does not pass.
 */
export function judgePreserved(compared: Comparison, margin: number): Gate {
  switch (compared.status) {
    case "none":
      return gate("preserved_answers", "not_applicable", compared.message);
    case "waiting":
      return gate("preserved_answers", "waiting", "Answers to held-out Examples are being compared.");
    case "nothing_held_out":
      return gate(
        "preserved_answers",
        "failed",
        `It cannot be said whether its answers are as good. ${compared.message}`,
      );
    case "failed":
      return gate("preserved_answers", "failed", `They could not be compared. ${compared.message}`.trim());
  }
  const { pairs, seenOnly } = compared;
  const cannotSay = (why: string, measured: number | null) =>
    gate("preserved_answers", "failed", `It cannot be said whether its answers are as good: ${why}`, measured, margin);
  if (seenOnly) return cannotSay("every held-out Example has a near copy in training.", null);
  const { low, verdict, rowsNeeded } = nonInferiority(pairs, margin);
  const drop = low === null ? null : -low;
  const rows = `${pairs.n.toLocaleString("en")} held-out ${pairs.n === 1 ? "Example" : "Examples"} whose answers could be judged`;
  const found = `of ${rows}, ${pairs.gained} are right only now and ${pairs.lost} only were before`;
  if (verdict === "worse") {
    const message = `Its answers are worse by more than ${points(margin)}: ${found}.`;
    return gate("preserved_answers", "failed", message, drop, margin);
  }
  if (verdict === "not_enough") {
    const needed =
      rowsNeeded === null
        ? `no number of rows shows less than ${points(margin)} with so many lost; allow more`
        : `it takes ${rowsNeeded.toLocaleString("en")}, if no more are lost`;
    return cannotSay(`there are ${rows}; ${needed}.`, drop);
  }
  const message = `Right answers become rarer by at most ${points(Math.max(0, drop ?? 0))} (95 %), and ${points(margin)} are allowed: ${found}.`;
  return gate("preserved_answers", "passed", message, drop, margin);
}

export const judgeDeployment = (status: Gate["status"], message: string): Gate => gate("deployment", status, message);
