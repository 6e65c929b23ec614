import { parseAsStringLiteral } from "nuqs/server";
import { OUTCOMES } from "../../../_components/evaluations/words";

/** Which rows are shown. */
export const viewParsers = { outcome: parseAsStringLiteral(OUTCOMES) };
