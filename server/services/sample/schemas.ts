import { z } from "zod";
import { SAMPLE_STATES } from "@/db/schema/enumerations";
import { project } from "@/server/services/projects/schemas";

/** `created` is false where the caller has loaded it before. */
export const loadedSampleReply = z.object({
  project: project.extend({ sample: z.enum(SAMPLE_STATES) }),
  created: z.boolean(),
});
