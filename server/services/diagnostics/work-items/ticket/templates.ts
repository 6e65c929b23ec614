import { Liquid } from "liquidjs";
import { unprocessable } from "@/server/platform/errors";

export const DEFAULT_TITLE = "{{ finding.title }}";
export const DEFAULT_BODY = `{{ finding.summary }}

| | |
|---|---|
| Severity | {{ finding.severity }} |
| Rule | {{ finding.rule }} |
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

/** What a template can refer to. All text is masked; quotes are Markdown that shows them literally. */
export type TicketFacts = {
  finding: {
    id: string;
    title: string;
    summary: string;
    severity: string;
    rule: string;
    signal: string;
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

const RENDER_MS = 200;
/**
 * Templates are text that a user entered: no files, no prototypes, bounded work. These limits are looked at between tags and
 * filters; `render-ticket.ts` also limits the work of a single one.
 */
const liquid = new Liquid({
  templates: {},
  ownPropertyOnly: true,
  parseLimit: 100_000,
  renderLimit: RENDER_MS,
  memoryLimit: 1_000_000,
  timezoneOffset: 0,
  strictFilters: true,
});

/** Filters that evaluate an expression for each item, which no limit of the engine counts. */
for (const name of Object.keys(liquid.filters)) if (name.endsWith("_exp")) delete liquid.filters[name];

/** Renders a template; a mistake in it is a 422 that says where, at `path`. */
function rendered(template: string, facts: TicketFacts, path: string): string {
  try {
    return liquid.parseAndRenderSync(template, facts).trim();
  } catch (error) {
    const [line = "It cannot be rendered."] = error instanceof Error ? error.message.split("\n") : [];
    throw unprocessable(path, `The template is not valid: ${line}`);
  }
}

export type Templates = { titleTemplate: string | null; bodyTemplate: string | null };
export type Ticket = { title: string; body: string };

/** Renders a ticket's title and body in this thread. `null` is our own template. */
export function renderTemplates({ titleTemplate, bodyTemplate }: Templates, facts: TicketFacts): Ticket {
  const title = rendered(titleTemplate ?? DEFAULT_TITLE, facts, "/titleTemplate").replace(/\s+/g, " ");
  const body = rendered(bodyTemplate ?? DEFAULT_BODY, facts, "/bodyTemplate");
  return { title: clipped(title === "" ? facts.finding.title : title, TITLE_MAX), body: clipped(body, BODY_MAX) };
}

const clipped = (text: string, most: number) => (text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`);
