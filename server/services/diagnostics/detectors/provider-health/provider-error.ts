import type { Detector } from "../../types";
import { failureSignals, failureWords } from "./failure-signals";

export const providerError: Detector = {
  signal: "provider_error",
  severity: "high",
  enabledByDefault: true,
  looksFor:
    "A model call that failed: a span with an error, or the client library's exception in place of a reply. Rate limits and overlong inputs have their own Signals.",
  detect: (conversation) =>
    failureSignals(conversation, "error", "provider_error", (failure) => ({
      cause: `${failure.of}: ${failure.template || "failed without a message"}`,
      title: `${capitalised(failure.of)} fails: ${failureWords(failure)}`,
    })),
};

const capitalised = (of: string) => (of === "the model" ? "The model" : of);
