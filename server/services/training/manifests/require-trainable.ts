import { unprocessable } from "@/server/platform/errors";
import type { TrainingExamples, TrainingMethod } from "@/server/services/datasets";

type Counts = Omit<TrainingExamples, "selected">;

/** Number of rows that a method makes from the Examples: kto has one per answer, the others one per Example. */
const ROWS: Record<TrainingMethod, (counts: Counts) => number> = {
  sft: ({ taught }) => taught,
  dpo: ({ weightedPairs }) => weightedPairs,
  orpo: ({ weightedPairs }) => weightedPairs,
  kto: ({ weighted, rejected }) => weighted + rejected,
};
export const rowsOf = (counts: Counts, method: TrainingMethod): number => ROWS[method](counts);

const quantity = (count: number, what: string) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

/** Throws 422 for Examples that the method cannot train on, with their number. */
export function requireTrainable(
  counts: Counts,
  { split, method }: { split: "train" | "validation"; method: TrainingMethod },
): void {
  const { examples, paired, rejected, weighted } = counts;
  if (examples === 0) {
    if (split === "validation") return;
    throw unprocessable(
      "/datasetId",
      "The Dataset has no Examples in its training split. Add some, or move some to it.",
    );
  }
  const unpaired = examples - paired;
  if ((method === "dpo" || method === "orpo") && unpaired > 0) {
    const which = `${unpaired.toLocaleString("en")} of ${quantity(examples, `${NAMES[split]} Example`)}`;
    throw unprocessable(
      "/method",
      `${which} ${unpaired === 1 ? "has" : "have"} no rejectedOutput, or none beside a better answer, which ${method} needs in every Example. Add rejected answers, or choose sft or kto.`,
    );
  }
  if (split === "validation") return;
  if (method === "kto" && (rejected === 0 || weighted === 0)) {
    throw unprocessable(
      "/method",
      rejected === 0
        ? `None of the ${quantity(examples, "training Example")} has a rejectedOutput. kto needs at least one unwanted answer besides the wanted ones.`
        : "kto needs at least one wanted answer, and every expectedOutput has the weight 0.",
    );
  }
  if (rowsOf(counts, method) === 0) {
    throw unprocessable("/datasetId", "Nothing would be learned: every answer has the weight 0.");
  }
}

const NAMES = { train: "training", validation: "validation" } as const;
