import { Dot } from "@/app/_components/values/dot";
import { SOURCE_WORDS } from "@/app/p/[projectId]/_components/costs/price-words";
import type { PriceDefinition } from "@/server/services/pricing/schemas";

const COLOR: Record<PriceDefinition["source"], string> = {
  default: "var(--severity-info)",
  project_override: "var(--severity-medium)",
  project_custom: "var(--severity-low)",
};

/** The origin of a price. Only the project's own can be edited; others can be overridden. */
export const PriceSource = ({ source }: { source: PriceDefinition["source"] }) => (
  <Dot color={COLOR[source]} hollow={source === "default"}>
    {SOURCE_WORDS[source]}
  </Dot>
);
