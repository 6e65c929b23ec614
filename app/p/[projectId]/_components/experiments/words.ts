import type { GatewayExperiment } from "@/server/services/gateway/experiments/schemas";
import { versionsHref } from "../../versions/_components/view";

/** Returns a share as it is typed, in percent; `null` if it is none. */
export function shareOf(typed: number | string): number | null {
  const share = typed === "" ? Number.NaN : Number(typed);
  return Number.isInteger(share) && share >= 0 && share <= 100 ? share : null;
}

export const variantWords = ({ variantName, variantVersion }: { variantName: string; variantVersion: number }) =>
  `${variantName} ${variantVersion}`;

/** Returns the URL of the comparison of both arms, of conversations that began since the experiment did. */
export const comparisonHref = (projectId: string, { arms, startedAt }: GatewayExperiment) =>
  versionsHref(projectId, {
    by: "arm",
    baseline: arms.baseline,
    compared: arms.variant,
    range: "custom",
    from: startedAt,
  });
