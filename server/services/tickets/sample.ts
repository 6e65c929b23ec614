import type { TicketFacts } from "./templates";

const OCCURRENCES = 3;
const QUOTES = 3;
const QUOTE = `{"error": {"type": "timeout", "message": "The search took longer than 30 s."}} `.repeat(8).slice(0, 600);

/** A Finding with as much as a ticket shows of one, because a template may pass a limit only then. */
export const SAMPLE: TicketFacts = {
  finding: {
    id: "fnd_0123456789abcdefghijklmnopqrstuv",
    title: "Tool search_emails fails with “timeout”",
    summary:
      "The tool `search_emails` failed in 12 of 40 conversations that called it, and the agent gave up in 9 of them.",
    severity: "high",
    rule: "tool-failure",
    signal: "tool_error",
    confidence: "93 %, measured (n = 146, 88 to 96 %)",
    conversations: 12,
    users: 9,
    cost: "1.25 USD and 3 calls without a price",
    firstSeen: "2026-01-01",
    lastSeen: "2026-01-31",
    url: "https://whetstone.example/p/prj_sample/findings/fnd_sample",
  },
  occurrences: Array.from({ length: OCCURRENCES }, (_, index) => ({
    conversation: `conversation-${index + 1}`,
    url: `https://whetstone.example/p/prj_sample/conversations/conversation-${index + 1}`,
    summary: "The tool returned an error, and the agent told the user that there are no e-mails.",
    quotes: Array.from({ length: QUOTES }, () => QUOTE),
  })),
  project: { name: "Sample project" },
};
