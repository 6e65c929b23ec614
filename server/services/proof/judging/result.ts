import { wilson } from "@/server/services/diagnostics";
import { agreementOf, mcnemar } from "../evaluations/verdict/paired";
import type { Review } from "../evaluations/verdict/summarise";
import type { QuestionKind } from "./questions";
import type { JudgingResult } from "./schemas";

export type Said = { n: number; question: QuestionKind; verdict: string | null; isReused: boolean };

type Given = {
  said: readonly Said[];
  /** Number of questions about the rows, and of those sent to the model this time. */
  questions: number;
  asked: number;
  withPreference: boolean;
  /** Rows in which both answers are the same. */
  even: number;
  /** What people say of rows, newest first. */
  reviews: ReadonlyMap<number, readonly Review[]>;
};

/** Whether the judge prefers the later answer (`win`), the earlier one, or neither, as asked in both orders. */
export function preferred(beforeFirst: string, afterFirst: string): "win" | "loss" | "tie" | "flip" {
  const [one, other] = [
    { first: "loss", second: "win" }[beforeFirst] ?? "tie",
    { first: "win", second: "loss" }[afterFirst] ?? "tie",
  ] as ("win" | "loss" | "tie")[];
  if (one === other) return one!;
  return one === "tie" || other === "tie" ? "tie" : "flip";
}

function preferenceOf({ said, even }: Given): NonNullable<JudgingResult["preference"]> {
  const byRow = Map.groupBy(said, ({ n }) => n);
  const verdictOf = (row: readonly Said[], wanted: QuestionKind) =>
    row.find(({ question }) => question === wanted)?.verdict ?? null;
  const choices = [...byRow.values()].flatMap((row) => {
    const [beforeFirst, afterFirst] = [verdictOf(row, "before_first"), verdictOf(row, "after_first")];
    return beforeFirst === null || afterFirst === null ? [] : [preferred(beforeFirst, afterFirst)];
  });
  const count = (wanted: string) => choices.filter((one) => one === wanted).length;
  const [win, loss, flips] = [count("win"), count("loss"), count("flip")];
  const n = choices.length + even;
  return {
    n,
    win,
    loss,
    tie: n - win - loss,
    flips,
    winShare: wilson({ affected: win, conversations: n }),
    lossShare: wilson({ affected: loss, conversations: n }),
    p: mcnemar({ lost: loss, gained: win }),
  };
}

function agreementWith({ said, reviews }: Given): JudgingResult["agreement"] {
  const pairs = said.flatMap(({ n, question, verdict }) => {
    const [review] = reviews.get(n) ?? [];
    if (!review || (question !== "right_before" && question !== "right_after")) return [];
    if (verdict !== "right" && verdict !== "not_right") return [];
    const person = question === "right_before" ? review.isRightBefore : review.isRightAfter;
    return [{ person, judge: verdict === "right" }];
  });
  const bothYes = pairs.filter(({ person, judge }) => person && judge).length;
  const bothNo = pairs.filter(({ person, judge }) => !person && !judge).length;
  const found = agreementOf({ bothYes, bothNo, apart: pairs.length - bothYes - bothNo });
  const share = wilson({ affected: bothYes + bothNo, conversations: pairs.length });
  return found && share && { judgements: pairs.length, share, ac1: found.ac1 };
}

/** Counts what a judge said. Pure. */
export function resultOf(given: Given): JudgingResult {
  const { said, questions, asked, withPreference } = given;
  const single = said.filter(({ question }) => question === "right_before" || question === "right_after");
  const count = (verdict: string | null) => single.filter((one) => one.verdict === verdict).length;
  return {
    questions,
    answered: said.filter(({ verdict }) => verdict !== null).length,
    asked,
    reused: said.filter(({ isReused }) => isReused).length,
    answers: {
      right: count("right"),
      notRight: count("not_right"),
      cannotTell: count("cannot_tell"),
      noAnswer: count(null),
    },
    preference: withPreference ? preferenceOf(given) : null,
    agreement: agreementWith(given),
  };
}

/** The letters that begin a model's name, without its owner or folder: its family, such as `qwen`. */
const familyOf = (model: string) => /^[a-z]{3,}/.exec(model.toLowerCase().split("/").at(-1) ?? "")?.[0] ?? null;

type Side = { model: string | null; checkpointId: string | null; name: string };

/** Returns the names of the models whose answers are judged, as far as they have one: a checkpoint is named after its run. */
export const judgedModels = (...sides: readonly Side[]): string[] =>
  sides.flatMap(({ model, checkpointId, name }) => (model !== null ? [model] : checkpointId === null ? [name] : []));

/** Returns whether a judge is of the family of a judged model: some judges prefer what is written like their own answers. */
export const mayPreferItself = (judge: string, judged: readonly string[]): boolean => {
  const family = familyOf(judge);
  return family !== null && judged.some((model) => familyOf(model) === family);
};
