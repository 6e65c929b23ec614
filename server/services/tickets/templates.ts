import { unprocessable } from "@/server/platform/errors";
import { quotation, templateProblem, ticketEngine, verbatim } from "./engine";
import { inert, literal } from "./literal";
import { insertQuotes } from "./quotes";

export const DEFAULT_TITLE = "{{ finding.title }}";
export const DEFAULT_BODY = `{{ finding.summary }}

| | |
|---|---|
| Severity | {{ finding.severity }} |
| Rule | {{ finding.rule }} |
| Confidence | {{ finding.confidence }} |
| Conversations | {{ finding.conversations }} |
| Users | {{ finding.users }} |
{%- if finding.cost %}
| Affected cost | {{ finding.cost }} |
{%- endif %}
| First seen | {{ finding.firstSeen }} |
| Last seen | {{ finding.lastSeen }} |

{% for occurrence in occurrences -%}
**[Conversation {{ occurrence.conversation }}]({{ occurrence.url }})**

{% for quote in occurrence.quotes -%}
{{ quote }}

{% endfor -%}
{% endfor -%}
[Open the Finding in Whetstone]({{ finding.url }})
`;

/** What a template can refer to, as plain text, which is masked. */
export type TicketFacts = {
  finding: {
    id: string;
    title: string;
    summary: string;
    severity: string;
    rule: string;
    signal: string;
    /** With the word for what it rests on: `93 %, measured (n = 146, 88 to 96 %)`. */
    confidence: string;
    conversations: number;
    users: number;
    /** With its unit; `null` if unknown. */
    cost: string | null;
    /** Dates (UTC). */
    firstSeen: string;
    lastSeen: string;
    url: string;
  };
  occurrences: { conversation: string; url: string; summary: string; quotes: string[] }[];
  project: { name: string };
};

/** Trackers refuse longer ones: GitHub takes 256 and 65,536 characters, Jira 255 and 32,767. */
const TITLE_MAX = 250;
const BODY_MAX = 30_000;

/** Is called with the line of each part of a template before it is rendered. */
export type OnLine = (field: keyof Templates, line: number) => void;
let onLine: OnLine | undefined;

const engineFor = (field: keyof Templates, literally: (text: string) => string) =>
  ticketEngine(literally, (line) => onLine?.(field, line));
const ENGINES = { titleTemplate: engineFor("titleTemplate", inert), bodyTemplate: engineFor("bodyTemplate", literal) };

/** Renders a template; a mistake in it, or a limit that it passes, is a 422 that says where. */
function rendered(field: keyof Templates, template: string, scope: object): string {
  try {
    return ENGINES[field].parseAndRenderSync(template, scope).trim();
  } catch (error) {
    throw unprocessable(`/${field}`, templateProblem(error instanceof Error ? error.message : ""));
  }
}

/** Returns what a template sees: links are ours, quotes are as `quoted` returns them. */
const scopeOf = ({ finding, occurrences, project }: TicketFacts, quoted: (quote: string) => unknown) => ({
  finding: { ...finding, url: verbatim(finding.url) },
  occurrences: occurrences.map((one) => ({ ...one, url: verbatim(one.url), quotes: one.quotes.map(quoted) })),
  project,
});

export type Templates = { titleTemplate: string | null; bodyTemplate: string | null };
export type Ticket = { title: string; body: string };

/**
 * Renders a ticket's title and body in this thread. `null` is our own template. What templates output is escaped: in the body as
 * Markdown of all trackers, in the title so that nothing in it is resolved.
 */
export function renderTemplates(
  { titleTemplate, bodyTemplate }: Templates,
  facts: TicketFacts,
  follow?: OnLine,
): Ticket {
  onLine = follow;
  const title = rendered("titleTemplate", titleTemplate ?? DEFAULT_TITLE, scopeOf(facts, String));
  const quotes: string[] = [];
  const scope = scopeOf(facts, (quote) => quotation(quote, quotes.push(quote) - 1));
  const body = insertQuotes(rendered("bodyTemplate", bodyTemplate ?? DEFAULT_BODY, scope), quotes);
  return {
    title: clipped((title || inert(facts.finding.title)).replace(/\s+/g, " "), TITLE_MAX),
    body: clipped(body, BODY_MAX),
  };
}

const clipped = (text: string, most: number) => (text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`);
