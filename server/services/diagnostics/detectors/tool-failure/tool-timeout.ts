import { excerpt } from "@/server/platform/excerpt";
import { saysTimeout } from "@/server/platform/tool-failure/kinds";
import type { Detector } from "../../types";
import { mergeByCause } from "../reading/evidence";
import { failureCause, toolFailures } from "./tool-failures";

export const toolTimeout: Detector = {
  signal: "tool_timeout",
  severity: "high",
  enabledByDefault: true,
  looksFor: "A tool call that timed out: a timeout error, a passed deadline, HTTP 408 or 504.",
  detect: (conversation) =>
    mergeByCause(
      toolFailures(conversation).flatMap(({ exchange, score, verdict, message, template, evidence }) => {
        if (!saysTimeout(message) && !saysTimeout(exchange.errorMessage ?? "")) return [];
        return [
          {
            name: "tool_timeout",
            score,
            verdict,
            evidence: [evidence],
            cause: failureCause({ exchange, message, template }),
            title: `\`${exchange.name}\` times out`,
            summary: `A call to \`${exchange.name}\` returned “${excerpt(message, 160)}”.`,
          },
        ];
      }),
    ),
};
