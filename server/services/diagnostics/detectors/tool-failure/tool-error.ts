import { excerpt } from "@/server/platform/excerpt";
import type { Detector } from "../../types";
import { mergeByCause } from "../reading/evidence";
import { describeCause } from "./mask-cause";
import { failureCause, toolFailures } from "./tool-failures";

export const toolError: Detector = {
  signal: "tool_error",
  severity: "high",
  enabledByDefault: true,
  looksFor:
    "A tool call that failed: a span with an error, a result flagged as one, or text that reports a failure — an exception, " +
    "a non-zero exit code, an HTTP status, something not found, a validation error.",
  detect: (conversation) =>
    mergeByCause(
      toolFailures(conversation).map(({ exchange, score, verdict, message, template, evidence }) => ({
        name: "tool_error",
        score,
        verdict,
        evidence: [evidence],
        cause: failureCause({ exchange, message, template }),
        title: `\`${exchange.name}\` fails: ${describeCause(message) || "no message"}`,
        summary: `A call to \`${exchange.name}\` returned “${excerpt(message, 160)}”.`,
      })),
    ),
};
