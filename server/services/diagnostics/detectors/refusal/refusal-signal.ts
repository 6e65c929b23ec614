import type { Message } from "@/server/services/telemetry/schemas";
import type { DetectedSignal } from "../../types";
import { quoteMessage } from "../reading/evidence";
import type { Refusal } from "./refusals";

const SHOWN = 80;

/** Shortens text to one line for a title. */
export function oneLine(text: string): string {
  const line = text
    .slice(0, SHOWN * 3)
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= SHOWN) return line;
  const cut = line.slice(0, SHOWN);
  const space = cut.lastIndexOf(" ");
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut.slice(0, space > SHOWN / 2 ? space : SHOWN)}…`;
}

/** Composes the Signal of one refusal; `what` describes what the assistant did, such as “Refuses”. */
export function refusalSignal(
  messages: readonly Message[],
  { index, question, start, end, reason, score, verdict }: Refusal,
  { name, what }: { name: string; what: string },
): DetectedSignal {
  const evidence = quoteMessage(messages, index, start, end);
  const cause = `${what.toLowerCase()} ${reason ?? "without a reason"}`;
  return {
    name,
    score,
    verdict,
    evidence: [evidence],
    cause,
    title: `The assistant ${what[0]!.toLowerCase()}${what.slice(1)}${reason ? ` ${reason}` : ""}`,
    summary: `Asked “${oneLine(question)}”, the assistant said “${oneLine(evidence.quote)}”.`,
  };
}
