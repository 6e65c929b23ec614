import { createLoader, parseAsString } from "nuqs/server";
import type { Evaluator } from "@/server/services/diagnostics/evaluators/schemas";

/** The page's state, stored in the URL. */
export const viewParsers = { evaluator: parseAsString };
export const loadView = createLoader(viewParsers);
type View = Awaited<ReturnType<typeof loadView>>;

/** Returns the evaluator that is shown: the first, unless the URL names another. */
export const chosenOf = ({ evaluator }: View, all: readonly Evaluator[]): Evaluator | undefined =>
  all.find(({ name }) => name === evaluator) ?? all[0];
