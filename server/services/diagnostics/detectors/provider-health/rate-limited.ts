import type { Detector } from "../../types";
import { failureSignals } from "./failure-signals";
import type { ProviderFailure } from "./provider-failures";

const QUOTA = /\bquota\b|\bcredit balance\b|\bbilling\b/i;
const OVERLOADED = /\boverloaded|\bcapacity\b|\b529\b/i;

export const rateLimited: Detector = {
  signal: "rate_limited",
  severity: "medium",
  enabledByDefault: true,
  looksFor:
    "A model call that the provider refused because of a rate limit, a used-up quota or its own overload (HTTP 429, 529).",
  detect: (conversation) =>
    failureSignals(conversation, "rate_limited", "rate_limited", (failure) => {
      const why = reasonOf(failure);
      return {
        cause: `${failure.of}: ${why}`,
        title: `${failure.of === "the model" ? "The model" : failure.of} refuses calls: ${why}`,
      };
    }),
};

function reasonOf({ message, evidence }: ProviderFailure): string {
  const text = `${message} ${evidence.quote}`;
  if (OVERLOADED.test(text)) return "overloaded";
  return QUOTA.test(text) && !/per (?:minute|second)/i.test(text) ? "quota used up" : "rate limit reached";
}
