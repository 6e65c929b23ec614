import { z } from "zod";
import { SAMPLE_STATES } from "@/db/schema/enumerations";
import { project } from "@/server/services/projects/schemas";

/** `created` is `false` if the caller had already loaded it. */
export const loadedSampleReply = z.object({
  project: project.extend({ sample: z.enum(SAMPLE_STATES) }),
  created: z.boolean(),
});
