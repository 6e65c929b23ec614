import { unprocessable } from "@/server/platform/errors";
import { inBoundedProcess } from "@/server/platform/processes/bounded-processes";
import { renderTask } from "./render-task";
import type { Templates, Ticket, TicketFacts } from "./templates";

const inBounds = inBoundedProcess({
  entry: "render-program",
  work: renderTask,
  // A template takes a few milliseconds.
  limitMs: 2_000,
  heapMib: 64,
  exceeded: (what) => unprocessable("/bodyTemplate", `The template cannot be rendered: it ${what}.`),
});

/**
 * Renders a ticket's title and body. `null` is our own template. Throws `unprocessable` for a template that is not valid, takes
 * too long or too much memory.
 */
export const renderTicket = (projectId: string, templates: Templates, facts: TicketFacts): Promise<Ticket> =>
  inBounds(projectId, { templates, facts });
