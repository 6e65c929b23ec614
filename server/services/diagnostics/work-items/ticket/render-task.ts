import { renderTemplates, type Templates, type TicketFacts } from "./templates";

export type TemplateTask = { templates: Templates; facts: TicketFacts };

export const renderTask = async ({ templates, facts }: TemplateTask) => renderTemplates(templates, facts);
