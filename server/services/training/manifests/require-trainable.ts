import { unprocessable } from "@/server/platform/errors";
import { count } from "@/server/platform/text/amounts";
import type { TrainingExamples, TrainingMethod } from "@/server/services/datasets";

type Counts = Omit<TrainingExamples, "selected">;

type Split = "train" | "validation";
type Method = {
  /** Number of rows that it makes from the Examples: kto has one per answer, the others one per Example. */
  rows: (counts: Counts) => number;
  /** Throws for Examples that it cannot train on. */
  require?: (counts: Counts, split: Split) => void;
};

const pairs = (method: TrainingMethod): Method => ({
  rows: ({ weightedPairs }) => weightedPairs,
  require: ({ examples, paired }, split) => {
    const unpaired = examples - paired;
    if (unpaired === 0) return;
    const which = `${unpaired.toLocaleString("en")} of ${count(examples, `${NAMES[split]} Example`)}`;
    throw unprocessable(
      "/method",
      `${which} ${unpaired === 1 ? "has" : "have"} no rejectedOutput, or none beside a better answer, which ${method} needs in every Example. Add rejected answers, or choose sft or kto.`,
    );
  },
});

const METHODS: Record<TrainingMethod, Method> = {
  sft: { rows: ({ taught }) => taught },
  dpo: pairs("dpo"),
  orpo: pairs("orpo"),
  kto: {
    rows: ({ weighted, rejected }) => weighted + rejected,
    require: ({ examples, rejected, weighted }, split) => {
      if (split === "validation" || (rejected > 0 && weighted > 0)) return;
      throw unprocessable(
        "/method",
        rejected === 0
          ? `None of the ${count(examples, "training Example")} has a rejectedOutput. kto needs at least one unwanted answer besides the wanted ones.`
          : "kto needs at least one wanted answer, and every expectedOutput has the weight 0.",
      );
    },
  },
};

/** Returns the number of rows that a method makes from the Examples. */
export const rowsOf = (counts: Counts, method: TrainingMethod): number => METHODS[method].rows(counts);

/** Throws 422 for Examples that the method cannot train on, with their number. */
export function requireTrainable(counts: Counts, { split, method }: { split: Split; method: TrainingMethod }): void {
  if (counts.examples === 0) {
    if (split === "validation") return;
    throw unprocessable(
      "/datasetId",
      "The Dataset has no Examples in its training split. Add some, or move some to it.",
    );
  }
  METHODS[method].require?.(counts, split);
  if (split === "validation") return;
  if (rowsOf(counts, method) === 0) {
    throw unprocessable("/datasetId", "Nothing would be learned: every answer has the weight 0.");
  }
}

const NAMES = { train: "training", validation: "validation" } as const;
