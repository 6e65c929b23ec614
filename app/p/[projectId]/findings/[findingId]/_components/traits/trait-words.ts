import { serializeView, traitText } from "@/app/p/[projectId]/conversations/_components/view";
import type { FindingTraits, TraitDimension } from "@/server/services/diagnostics/findings/schemas";

type Trait = Pick<FindingTraits["inCommon"][number], "dimension" | "value">;

/** The hours that a conversation's start is counted in. */
const HOURS = 4;

/** A dimension's name, and what its absence is called. */
const DIMENSIONS: Record<TraitDimension, { one: string; none: string }> = {
  model: { one: "Model", none: "No model" },
  provider: { one: "Provider", none: "No provider" },
  version: { one: "Version", none: "No version" },
  label: { one: "Label", none: "No label" },
  tool: { one: "Tool", none: "No tool" },
  prompt: { one: "Prompt", none: "No prompt" },
  arm: { one: "Arm", none: "No arm" },
  language: { one: "Language", none: "Language not recognized" },
  user: { one: "User", none: "No user" },
  hour: { one: "Began", none: "Unknown start" },
};

const hours = (first: number) => [first, first + HOURS].map((hour) => `${String(hour).padStart(2, "0")}:00`).join("–");

/** `Model gpt-4.1-nano`, `Began 08:00–12:00 UTC`, `No label`. */
export function traitWords({ dimension, value }: Trait): string {
  const { one, none } = DIMENSIONS[dimension];
  if (value === null) return none;
  return `${one} ${dimension === "hour" ? `${hours(Number(value))} UTC` : traitText(dimension, value)}`;
}

/** Returns the URL of the Finding's conversations with the value; `null` where the list has no such filter. */
export function traitHref(projectId: string, findingId: string, { dimension, value }: Trait): string | null {
  const filter =
    dimension === "user"
      ? value === null
        ? { hasUser: false }
        : { user: value }
      : dimension !== "hour" && value !== null
        ? { [dimension]: [value] }
        : null;
  if (filter === null) return null;
  return `/p/${encodeURIComponent(projectId)}/conversations${serializeView({ finding: findingId, ...filter })}`;
}
