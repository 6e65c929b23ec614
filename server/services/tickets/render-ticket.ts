import { unprocessable } from "@/server/platform/errors";
import { inBoundedProcess } from "@/server/platform/processes/bounded-processes";
import { lastLine, renderTask, type TemplateTask } from "./render-task";
import type { Templates, Ticket, TicketFacts } from "./templates";

const inBounds = inBoundedProcess({
  entry: "render-program",
  work: (task: TemplateTask) => renderTask(task),
  limitMs: 4_000,
  heapMib: 64,
  exceeded: limitExceeded,
});

/**
 * Renders a ticket's title and body. `null` is our own template. Throws `unprocessable` for a template that is not valid, takes
 * too long or too much memory, with the line.
 */
export const renderTicket = (projectId: string, templates: Templates, facts: TicketFacts): Promise<Ticket> =>
  inBounds(projectId, { templates, facts });

/** Returns the error for a template whose process was ended. */
export function limitExceeded(what: string, said: string) {
  const { field = "bodyTemplate", line } = lastLine(said) ?? {};
  const where = line === undefined ? "it" : `line ${line}`;
  return unprocessable(`/${field}`, `The template cannot be rendered: ${where} ${what}.`);
}
