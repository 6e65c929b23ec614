import { type OnLine, renderTemplates, type Templates, type TicketFacts } from "./templates";

export type TemplateTask = { templates: Templates; facts: TicketFacts };

export const renderTask = async ({ templates, facts }: TemplateTask, onLine?: OnLine) =>
  renderTemplates(templates, facts, onLine);

const MARK = /^@(titleTemplate|bodyTemplate):(\d+)$/gm;

/** Returns what the program notes before each part of a template, for when it is ended in the middle of one. */
export const lineMark = (field: keyof Templates, line: number) => `@${field}:${line}\n`;

/** Returns the template and its line that the program was at, according to what it noted last. */
export function lastLine(said: string): { field: keyof Templates; line: number } | undefined {
  const [, field, line] = [...said.matchAll(MARK)].at(-1) ?? [];
  return field === undefined ? undefined : { field: field as keyof Templates, line: Number(line) };
}
