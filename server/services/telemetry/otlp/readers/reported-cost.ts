import { LANGFUSE } from "../conventions/langfuse";
import { LITELLM } from "../conventions/litellm";
import { OPENINFERENCE } from "../conventions/openinference";
import { OPENLIT } from "../conventions/openlit";
import { sourcesOf } from "./precedence";
import { firstOf, type Reader } from "./reader";
import type { SpanView } from "./span-view";

/** The call's cost as reported by the client, US dollars. Clients send zero if their price list lacks the model, so zero counts as unknown. */
export const REPORTED_COST = sourcesOf("reportedCost", { first: [OPENLIT, LANGFUSE, OPENINFERENCE, LITELLM] }).map(
  aboveZero,
);

export const resolveReportedCost = (view: SpanView): number | null => firstOf(REPORTED_COST, view.attributes) ?? null;

function aboveZero({ takes, read }: Reader<number>): Reader<number> {
  return {
    takes,
    read: (attributes) => {
      const cost = read(attributes);
      return cost !== undefined && cost > 0 ? cost : undefined;
    },
  };
}
