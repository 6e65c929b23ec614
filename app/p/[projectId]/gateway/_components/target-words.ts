import type { AliasTarget } from "@/server/services/gateway/aliases/schemas";
import type { ModelConnection } from "../../_components/variants/use-model-connections";

/** What a target is called by: as a call would name it. */
export function targetName(
  { connectionId, model, deployment }: AliasTarget,
  connections: readonly ModelConnection[],
): string {
  if (deployment !== null) return deployment;
  return `${connections.find(({ id }) => id === connectionId)?.name ?? "deleted connection"}/${model}`;
}

/** Why calls skip a target; `null` if they do not. */
export const whySkipped = ({ callable, deployment }: AliasTarget): string | null =>
  callable
    ? null
    : deployment === null
      ? "Skipped: the connection was deleted."
      : "Skipped: no deployment runs under this name.";
