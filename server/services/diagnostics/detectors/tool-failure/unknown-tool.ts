import { excerpt } from "@/server/platform/excerpt";
import { saysUnknownTool } from "@/server/platform/tool-failure/kinds";
import type { Detector } from "../../types";
import { mergeByCause } from "../reading/evidence";
import { failureCause, toolFailures } from "./tool-failures";

export const unknownTool: Detector = {
  signal: "unknown_tool",
  severity: "high",
  enabledByDefault: true,
  looksFor: "A call to a tool that does not exist, as reported by the tool runtime.",
  detect: (conversation) =>
    mergeByCause(
      toolFailures(conversation).flatMap(({ exchange, score, verdict, message, template, evidence }) => {
        if (!saysUnknownTool(message)) return [];
        return [
          {
            name: "unknown_tool",
            score,
            verdict,
            evidence: [evidence],
            cause: failureCause({ exchange, message, template }),
            title: `\`${exchange.name}\` is called but does not exist`,
            summary: `The model called \`${exchange.name}\` and got the reply “${excerpt(message, 160)}”.`,
          },
        ];
      }),
    ),
};
