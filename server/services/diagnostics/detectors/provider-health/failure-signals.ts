import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot, DetectedSignal } from "../../types";
import { mergeByCause } from "../reading/evidence";
import { describeCause } from "../tool-failure/mask-cause";
import { type FailureKind, type ProviderFailure, providerFailures } from "./provider-failures";

/** Returns one signal per cause of the conversation's failures of one kind. */
export function failureSignals(
  conversation: ConversationSnapshot,
  kind: FailureKind,
  name: string,
  wordsOf: (failure: ProviderFailure) => { cause: string; title: string },
): DetectedSignal[] {
  return mergeByCause(
    providerFailures(conversation)
      .filter((failure) => failure.kind === kind)
      .map((failure) => ({
        name,
        score: failure.score,
        verdict: "match",
        evidence: [failure.evidence],
        ...wordsOf(failure),
        summary: `A call to ${failure.of} failed: “${excerpt(failure.message, 160) || "no message"}”${failure.recovered ? "; a later call succeeded" : ""}.`,
      })),
  );
}

/** Returns a failure's message for the end of a title. */
export const failureWords = ({ message }: ProviderFailure): string => describeCause(message) || "no message";
