import { excerpt } from "@/server/platform/excerpt";
import type { DetectedSignal, Detector } from "../../types";
import { mergeByCause } from "../reading/evidence";
import { type BroughtInjections, broughtInjections } from "./injection/brought-injections";
import type { Family } from "./injection/cues";
import { type Injection, MATCH_SCORE } from "./injection/read-injection";

/** What an injection is called, by its most specific family of cues. Most specific first. */
const KINDS: readonly (readonly [Family, string])[] = [
  ["concealed", "hidden instructions"],
  ["override", "instructions that override the model's own"],
  ["prompt request", "a request for the model's instructions"],
  ["spoofed role", "text posing as the system or the user"],
  ["exfiltration", "an order to send data away"],
  ["marker", "an order posing as an open task"],
  ["to the model", "instructions to the model"],
  ["about its task", "instructions to the model"],
  ["secrecy", "instructions to keep something from the user"],
  ["tool use", "instructions to call a tool"],
  ["order", "an order to act"],
];

export const promptInjection: Detector = {
  signal: "prompt_injection",
  severity: "high",
  enabledByDefault: true,
  looksFor:
    "Text from a tool or a user that instructs the model: overrides its instructions, poses as the system, hides orders in data.",
  detect: (conversation) =>
    mergeByCause(
      broughtInjections(conversation).flatMap((brought) =>
        brought.injections.map((injection) => signalOf(brought, injection)),
      ),
    ),
};

function signalOf(brought: BroughtInjections, injection: Injection): DetectedSignal {
  const kind = KINDS.find(([family]) => injection.families.includes(family))?.[1] ?? "instructions to the model";
  const title = brought.carrier === "tool" ? `\`${brought.tool}\` returns ${kind}` : `A user sends ${kind}`;
  return {
    name: "prompt_injection",
    score: injection.score,
    verdict: injection.score >= MATCH_SCORE ? "match" : "ambiguous",
    evidence: [brought.quote(injection.start, injection.end)],
    cause: brought.carrier === "tool" ? `${kind} in results of ${brought.tool}` : `${kind} in a user's message`,
    title,
    summary: `${brought.carrier === "tool" ? `A result of \`${brought.tool}\`` : "A message from the user"} says “${excerpt(injection.says, 200)}”.`,
  };
}
