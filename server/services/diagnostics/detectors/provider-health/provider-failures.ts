import type { ConversationSnapshot, Evidence, SnapshotModelCall } from "../../types";
import { saidByOthers } from "../reading/assistant-messages";
import { quoteMessage, quoteSpan } from "../reading/evidence";
import { proseIn } from "../reading/prose";
import { textOf } from "../reading/text";
import { maskCause } from "../tool-failure/mask-cause";

export type FailureKind = "error" | "rate_limited" | "context_overflow";

/** A model call that the provider refused or did not complete. */
export type ProviderFailure = {
  kind: FailureKind;
  /** "openai gpt-4o", or "the model" when neither is known. */
  of: string;
  /** What the provider said, without the client's wrapping. */
  message: string;
  /** The message with its values masked. */
  template: string;
  /** A later call of the conversation succeeded. */
  recovered: boolean;
  score: number;
  evidence: Evidence;
};

/** The span of the call failed. */
const SPAN_SCORE = 0.97;
/** A message carries the client library's exception in place of a reply. */
const TEXT_SCORE = 0.9;

/** The caller ended the call itself. */
const CANCELLED =
  /\b(?:AbortError|CancelledError|CanceledError|GeneratorExit|KeyboardInterrupt|ClientDisconnect\w{0,4})\b|\b(?:request|operation|call|stream) (?:was )?(?:aborted|cancell?ed)\b|\bcontext cancell?ed\b|\bcancell?ed by (?:the )?(?:user|client|caller)\b|\bclient disconnected\b/i;
const RATE_LIMITED =
  /\b429\b|\b529\b|\btoo many requests\b|\brate[ _-]?limit|RateLimit|\bquota\b|\binsufficient_quota\b|\bresource[ _]?(?:has been )?exhausted\b|ResourceExhausted|\boverloaded(?:_error)?\b|\bthrottl(?:ed|ing)|ThrottlingException|TooManyRequests|\bcapacity (?:exceeded|constraints|limit)|\b(?:requests|tokens) per (?:minute|day|second)\b|\bcredit balance is too low\b|\bbilling (?:hard )?limit\b/i;
const CONTEXT_OVERFLOW =
  /context[ _-]?(?:length|window|size)[ _]?(?:is |was |has been )?(?:exceed|overflow|too)|context_length_exceeded|\bmaximum context length\b|\bexceed\w{0,3} (?:the |this )?(?:model(?:[’']s)? )?(?:max(?:imum)? )?(?:context|input|token|sequence|prompt)[ _-](?:length|window|limit|size|tokens?|count)|\bprompt is too long\b|\binput (?:is )?too (?:long|large)\b|\btoo many (?:input |prompt )?tokens\b|\bmaximum (?:allowed )?(?:number of )?(?:input |prompt )?tokens\b|ContextWindowExceeded|ContextOverflow|\binput length and `?max_tokens`? exceed\b|\b(?:request|input) (?:tokens|token count)[^\n]{0,40}exceed|\binputs?`? tokens \+ `?max_new_tokens\b|\brequested tokens? [^\n]{0,40}exceed context\b/i;

const failuresOf = new WeakMap<ConversationSnapshot, readonly ProviderFailure[]>();

/** Returns the failed model calls of a conversation, in order. Memoized per conversation. */
export function providerFailures(conversation: ConversationSnapshot): readonly ProviderFailure[] {
  let failures = failuresOf.get(conversation);
  if (!failures) {
    const bySpans = failedSpans(conversation);
    // A message that repeats a span's error is the same failure.
    failures = bySpans.length > 0 ? bySpans : failedReplies(conversation);
    failuresOf.set(conversation, failures);
  }
  return failures;
}

/** Returns "provider model" of a call, as far as known. */
export function modelOf({ provider, responseModel, requestedModel }: SnapshotModelCall): string {
  return [provider, responseModel || requestedModel].filter((part) => part).join(" ") || "the model";
}

const kindOf = (text: string): FailureKind =>
  CONTEXT_OVERFLOW.test(text) ? "context_overflow" : RATE_LIMITED.test(text) ? "rate_limited" : "error";

/** Characters of an error that are read. */
const READ = 2000;

function failedSpans({ modelCalls }: ConversationSnapshot): ProviderFailure[] {
  const lastGood = modelCalls.findLastIndex(({ status }) => status === "ok");
  return modelCalls.flatMap((call, at) => {
    if (call.status !== "error") return [];
    const { type, message } = call.error ?? { type: null, message: null };
    const text = [type, message]
      .filter((part) => part)
      .join(": ")
      .slice(0, READ);
    if (CANCELLED.test(text)) return [];
    const said = spokenError(message ?? type ?? "");
    return [
      {
        kind: kindOf(text),
        of: modelOf(call),
        message: said,
        template: maskCause(said),
        recovered: lastGood > at,
        score: SPAN_SCORE,
        evidence: quoteSpan(call.spanId, text),
      },
    ];
  });
}

/** `Error code: 400 - {'error': {…}}` and the like, as client libraries print their exceptions. */
const PRINTED =
  /\bError code: [45]\d{2} - \{|^(?:[\w$]{1,40}\.){0,6}(?:BadRequest|RateLimit|APIStatus|APIConnection|APITimeout|InternalServer|ServiceUnavailable|ContextWindowExceeded|ContentPolicyViolation|Authentication|PermissionDenied|Overloaded|ResourceExhausted|Throttling|API)(?:Error|Exception): /m;
const PRINTED_PROMISING = /Error code: |Error: |Exception: /;
/** Characters at the end of a message that are searched for a printed exception. */
const ENDS = 4000;

function failedReplies(conversation: ConversationSnapshot): ProviderFailure[] {
  const { messages } = conversation;
  return messages.flatMap((message, index) => {
    if (message.role !== "assistant" && message.role !== "system") return [];
    const text = textOf(message);
    const from = Math.max(0, text.length - ENDS);
    const part = text.slice(from);
    if (!PRINTED_PROMISING.test(part)) return [];
    const found = PRINTED.exec(proseIn(part));
    if (!found || (index === 0 && message.role === "system")) return [];
    // The user asks about this error and the assistant explains it.
    if (saidByOthers(messages, found[0])) return [];
    const printed = part.slice(found.index, found.index + READ);
    const said = spokenError(printed);
    return [
      {
        kind: kindOf(printed),
        of: "the model",
        message: said,
        template: maskCause(said),
        recovered: messages.slice(index + 1).some(({ role }) => role === "assistant"),
        score: TEXT_SCORE,
        evidence: quoteMessage(messages, index, from + found.index),
      },
    ];
  });
}

const INNER_MESSAGE = /["']message["']\s{0,3}:\s{0,3}(?:"([^"\n]{1,400})|'([^'\n]{1,400}))/;

/** Extracts the provider's own message from a printed exception or error body. */
function spokenError(text: string): string {
  const head = text.slice(0, READ);
  const inner = INNER_MESSAGE.exec(head);
  return (inner?.[1] ?? inner?.[2] ?? head).trim();
}
