import type { NamedActor } from "@/server/services/members/schemas";

const WORDS: Record<Exclude<NamedActor["kind"], "job">, string> = {
  user: "A former member",
  apiKey: "An API key",
  operator: "The operator",
};

/** Returns who did something, by name for a member. `job` is what a job is called there. */
export const actorWords = ({ kind, name }: NamedActor, job = "A job") => name ?? (kind === "job" ? job : WORDS[kind]);
