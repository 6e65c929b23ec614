import type { RouterOutputs } from "@/app/_lib/trpc/client";

type Actor = RouterOutputs["findings"]["events"]["events"][number]["actor"];

const WORDS: Record<Actor["kind"], string> = {
  user: "A former member",
  apiKey: "An API key",
  job: "The Rules",
  operator: "The operator",
};

/** Returns who did something, by name for a member. */
export const actorWords = ({ kind, name }: Actor) => name ?? WORDS[kind];
