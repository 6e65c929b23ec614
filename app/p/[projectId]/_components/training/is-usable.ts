import type { Checkpoint } from "@/server/services/models/checkpoints/schemas";

/** Returns whether a trainer has the checkpoint, so that it can be continued, evaluated, deployed and exported. */
export const isUsable = ({ state, recorded }: Pick<Checkpoint, "state" | "recorded">) =>
  state === "stored" && !recorded;
