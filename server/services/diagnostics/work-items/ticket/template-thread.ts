import { inThread } from "@/server/platform/threads/in-thread";
import { renderTemplates, type Templates, type TicketFacts } from "./templates";

export type TemplateTask = { templates: Templates; facts: TicketFacts };

export const renderTask = async ({ templates, facts }: TemplateTask) => renderTemplates(templates, facts);

/** Entry point of the threads that `render-ticket.ts` starts. */
export default inThread(renderTask);
