import { z } from "zod";
import { SAMPLE_STATES } from "@/db/schema/enumerations";
import { ROLES } from "@/server/platform/capabilities";
import { filledText } from "@/server/platform/schemas";
import { apiKey } from "@/server/services/api-keys/schemas";

export const projectName = filledText(120);

/** Times are Unix ms. */
export const project = z.object({ id: z.string(), name: z.string(), createdAt: z.number() });
export const projectReply = z.object({ project });

export const createProjectInput = z.strictObject({ name: projectName });
/** `secret` is the complete default key, returned only once. */
export const createdProjectReply = z.object({ project, apiKey, secret: z.string() });

export const renameProjectInput = z.strictObject({ name: projectName });

/** A project in its member's switcher. */
export const myProject = project.extend({
  role: z.enum(ROLES),
  /** The state of the sample's load, for the project that contains it; `null` for any other. */
  sample: z.enum(SAMPLE_STATES).nullable(),
});
export const myProjectsReply = z.object({ projects: z.array(myProject) });
