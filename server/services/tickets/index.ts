import "server-only";

export { fenced, literal } from "./literal";
export { renderTicket } from "./render-ticket";
export type { Templates, TicketFacts } from "./templates";
export { tryTemplates } from "./try-templates";
