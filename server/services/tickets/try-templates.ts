import { renderTicket } from "./render-ticket";
import { SAMPLE } from "./sample";
import type { Templates } from "./templates";

/** Renders templates for a sample. Throws as `renderTicket` does, so that a bad template is refused when it is saved. */
export async function tryTemplates(projectId: string, templates: Templates): Promise<void> {
  await renderTicket(projectId, templates, SAMPLE);
}
