import { z } from "zod";
import { idInput } from "@/server/platform/schemas";

/** What can refer to a checkpoint or a job. */
export const DEPENDENT_KINDS = [
  "deployment",
  "export",
  "evaluation",
  "certificate",
  "rollout",
  "tuningConfig",
  "job",
] as const;

export const jobToDelete = z.strictObject({ jobId: idInput });
export const checkpointToDelete = z.strictObject({ checkpointId: idInput });

export const dependent = z.object({
  kind: z.enum(DEPENDENT_KINDS),
  id: z.string(),
  /** What people know it by. */
  name: z.string(),
  /** `null` for what has none. */
  status: z.string().nullable(),
  /**
   * `blocks`: it needs the files, so that nothing can be deleted before it has ended or is gone. `deleted`: it is deleted too.
   * `kept`: it stays, with an id that leads nowhere.
   */
  effect: z.enum(["blocks", "deleted", "kept"]),
});
export type Dependent = z.infer<typeof dependent>;

export const dependentsReply = z.object({
  dependents: z.object({
    /** Why it cannot be deleted now; `null` if it can. */
    blockedReason: z.string().nullable(),
    /** Those that block first, at most 200. */
    items: z.array(dependent),
    /** Number of all. */
    count: z.int(),
    /** The checkpoints that would be deleted, and the size of their files on the trainer in bytes. */
    checkpoints: z.int(),
    bytes: z.number(),
  }),
});
export type Dependents = z.infer<typeof dependentsReply>["dependents"];
