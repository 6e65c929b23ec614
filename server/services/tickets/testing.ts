import type { TicketFacts } from "./templates";

/** For tests: the facts of a Finding with one occurrence. */
export const ticketFacts = (
  finding: Partial<TicketFacts["finding"]>,
  occurrence: TicketFacts["occurrences"][number],
): TicketFacts => ({
  finding: {
    id: "fnd_1",
    title: "search_emails fails",
    summary: "The tool fails.",
    severity: "high",
    rule: "tool-failure",
    signal: "tool_error",
    confidence: "50 %, assumed",
    conversations: 12,
    users: 3,
    cost: null,
    firstSeen: "2026-11-01",
    lastSeen: "2026-11-24",
    url: "https://whetstone.example/p/p/findings/fnd_1",
    ...finding,
  },
  occurrences: [occurrence],
  project: { name: "Shop" },
});
