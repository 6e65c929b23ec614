import "server-only";

export { literal } from "./literal";
export { code, quoted } from "./quoted";
export { renderTicket } from "./render-ticket";
export type { Templates, TicketFacts } from "./templates";
export { tryTemplates } from "./try-templates";
