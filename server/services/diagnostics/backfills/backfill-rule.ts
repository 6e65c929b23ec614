import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { type ConfiguredRule, configuredRules } from "../settings/rule-settings";
import type { BackfillWindow } from "./schemas";

type Input = { ruleId: string; startMs: number; endMs: number; maxConversations?: number | undefined };

/** Returns the Rule and the window of a request, which names its maximum by either of two fields. */
export async function backfillRule(
  ctx: Ctx,
  { ruleId, startMs, endMs, maxConversations, limit }: Input & { limit?: number | undefined },
): Promise<{ configured: ConfiguredRule; window: BackfillWindow }> {
  const configured = (await configuredRules(ctx)).find(({ rule }) => rule.id === ruleId);
  if (!configured) throw notFound("Rule");
  return { configured, window: { startMs, endMs, maxConversations: maxConversations ?? limit ?? 0 } };
}

/** Throws a conflict when the Rule is turned off, because all Runs would be skipped. */
export function requireEnabled({ rule, enabled }: ConfiguredRule) {
  if (enabled) return;
  throw new ServiceError("conflict", `The Rule "${rule.name}" is turned off. Turn it on, then start the backfill.`);
}
