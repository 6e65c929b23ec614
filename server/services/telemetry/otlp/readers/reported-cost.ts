import { firstOf, number, numberOf, objectIn, type Reader } from "./reader";
import type { SpanView } from "./span-view";

/** The call's cost as reported by the client, US dollars. Clients send zero if their price list lacks the model, so zero counts as unknown. */
export const REPORTED_COST: readonly Reader<number>[] = [
  aboveZero(number("gen_ai.usage.cost")), // OpenLIT
  costDetails("langfuse.observation.cost_details"),
  aboveZero(number("llm.cost.total")), // OpenInference
  aboveZero(sum("llm.cost.prompt", "llm.cost.completion")),
  aboveZero(number("gen_ai.cost.total_cost")), // LiteLLM
  aboveZero(number("operation.cost")), // Pydantic AI
  aboveZero(number("langwatch.span.cost")),
];

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

function sum(...names: string[]): Reader<number> {
  return {
    takes: names,
    read: (attributes) => {
      const costs = names.map((name) => numberOf(attributes[name])).filter((cost) => cost !== undefined);
      return costs.length > 0 ? costs.reduce((total, cost) => total + cost) : undefined;
    },
  };
}

/** Reads Langfuse's object of costs by bucket, with or without a total. */
function costDetails(name: string): Reader<number> {
  return aboveZero({
    takes: [name],
    read: (attributes) => {
      const details = objectIn(attributes[name]);
      if (!details) return undefined;
      const total = numberOf(details.total);
      if (total !== undefined && total > 0) return total;
      const costs = Object.values(details)
        .map(numberOf)
        .filter((cost) => cost !== undefined);
      return costs.length > 0 ? costs.reduce((all, cost) => all + cost) : undefined;
    },
  });
}
