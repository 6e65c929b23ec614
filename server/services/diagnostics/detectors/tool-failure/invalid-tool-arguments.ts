import { excerpt } from "@/server/platform/excerpt";
import { parseJson } from "@/server/platform/json/json-text";
import { saysInvalidArguments } from "@/server/platform/tool-failure/kinds";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { isChangedByUs, isRunTogether } from "../reading/not-the-applications";
import { type ToolExchange, toolExchanges } from "../reading/tool-exchanges";
import { failureCause, toolFailures } from "./tool-failures";

/** Arguments that begin like JSON and do not parse. */
const UNPARSEABLE_SCORE = 0.95;

export const invalidToolArguments: Detector = {
  signal: "invalid_tool_arguments",
  severity: "medium",
  enabledByDefault: true,
  looksFor:
    "A tool call with arguments that are not JSON, or that the tool refused as missing, unexpected or of the wrong type.",
  detect: (conversation) => mergeByCause([...unparseable(conversation), ...refused(conversation)]),
};

function unparseable(conversation: ConversationSnapshot): DetectedSignal[] {
  return toolExchanges(conversation).flatMap((exchange) => {
    if (exchange.callIndex === null || !isBrokenJson(exchange)) return [];
    return [
      {
        name: "invalid_tool_arguments",
        score: UNPARSEABLE_SCORE,
        verdict: "match" as const,
        evidence: [quoteMessage(conversation.messages, exchange.callIndex)],
        cause: `${exchange.name}: arguments are not json`,
        title: `\`${exchange.name}\` is called with arguments that are not JSON`,
        summary: `The model called \`${exchange.name}\` with “${excerpt(exchange.arguments, 160)}”.`,
      },
    ];
  });
}

/** Characters. Clients may truncate longer arguments, which is not the model's fault. */
const ARGUMENTS_LIMIT = 30_000;

function isBrokenJson(exchange: ToolExchange): boolean {
  const text = exchange.arguments.trim();
  if (!(text.startsWith("{") || text.startsWith("[")) || text.length > ARGUMENTS_LIMIT) return false;
  if (/^\{\s{0,10}'|(?::|,)\s?(?:None|True|False)\b/.test(text)) return false; // a Python client that printed its dict
  return parseJson(text) === undefined && !isChangedByUs(text) && !isRunTogether(text);
}

function refused(conversation: ConversationSnapshot): DetectedSignal[] {
  return toolFailures(conversation).flatMap(({ exchange, score, verdict, message, template, evidence }) => {
    if (!saysInvalidArguments(message)) return [];
    return [
      {
        name: "invalid_tool_arguments",
        score,
        verdict,
        evidence: [evidence],
        cause: failureCause({ exchange, message, template }),
        title: `\`${exchange.name}\` refuses the arguments that it is called with`,
        summary: `\`${exchange.name}\` was called with “${excerpt(exchange.arguments, 100)}” and returned “${excerpt(message, 120)}”.`,
      },
    ];
  });
}
