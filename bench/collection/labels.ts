import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { COLLECTION_OBJECTIVES } from "@/db/schema/enumerations";

/** A person's judgement of one proposal: whether it is what the wording of its objective describes. */
const label = z.strictObject({
  conversation: z.string(),
  turn: z.int(),
  objective: z.enum(COLLECTION_OBJECTIVES),
  goal: z.string().optional(),
  right: z.boolean(),
  why: z.string(),
});
type Label = z.infer<typeof label>;

const DIRECTORY = path.join(import.meta.dirname, "labels");

export const labelKey = ({
  conversation,
  turn,
  objective,
  goal,
}: Pick<Label, "conversation" | "turn" | "objective" | "goal">) =>
  [objective, conversation, turn, goal ?? ""].join(" ");

/** Returns the labels stored in the repository, keyed by `labelKey`. */
export function readLabels(): Map<string, Label> {
  const lines = readdirSync(DIRECTORY)
    .filter((file) => file.endsWith(".jsonl"))
    .flatMap((file) => readFileSync(path.join(DIRECTORY, file), "utf8").split("\n"));
  const labels = lines.filter(Boolean).map((line) => label.parse(JSON.parse(line)));
  return new Map(labels.map((one) => [labelKey(one), one]));
}
