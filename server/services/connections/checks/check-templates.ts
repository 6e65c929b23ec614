import { ServiceError } from "@/server/platform/errors";
import { tryTemplates } from "@/server/services/tickets";

type Settings = Readonly<Record<string, unknown>>;
const FIELDS = ["titleTemplate", "bodyTemplate"] as const;

/**
 * Tries the templates among settings that are new; throws a 422 that says what is wrong with one. Must not be called in a
 * transaction, which it would keep open.
 */
export async function checkTemplates(projectId: string, settings: Settings, stored: Settings = {}) {
  const [titleTemplate, bodyTemplate] = FIELDS.map((field) => {
    const template = settings[field];
    return typeof template === "string" && template !== stored[field] ? template : null;
  });
  if (titleTemplate == null && bodyTemplate == null) return;
  try {
    await tryTemplates(projectId, { titleTemplate: titleTemplate ?? null, bodyTemplate: bodyTemplate ?? null });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "unprocessable") throw error;
    const errors = error.errors?.map(({ path, message }) => ({ path: `/settings${path}`, message })) ?? [];
    throw new ServiceError("unprocessable", error.message, { errors });
  }
}
