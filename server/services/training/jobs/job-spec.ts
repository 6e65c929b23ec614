import type { z } from "zod";
import type { checkpoints } from "@/db/schema";
import { SPEC_VERSION } from "@/server/services/trainers";
import type { Frozen } from "../manifests/freeze-examples";
import type { createJobInput } from "./schemas";

/** The starting point of a training: a base model, or a checkpoint of one. */
export type Start = {
  id: string;
  revision: string | null;
  source: "hub" | "local" | "checkpoint";
  trustRemoteCode: boolean;
  checkpoint: typeof checkpoints.$inferSelect | null;
  /** The trainer that has the checkpoint. */
  trainerId: string | null;
};

type Choice = Pick<
  z.output<typeof createJobInput>,
  "engine" | "method" | "adapter" | "training" | "lora" | "evaluation" | "output" | "limits"
>;

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name: string) => name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Returns a value with all field names converted; undefined fields are omitted. */
function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [rename(name), renamed(field, rename)]));
}

type Fields = Record<string, unknown>;
export const snakeCased = (value: object) => renamed(value, snake) as Fields;
/** Converts a spec to the spelling of `/v1`. */
export const camelCased = (value: object) => renamed(value, camel) as Fields;

/** Returns a job's spec in the form of the trainer's contract. Omitted settings stay omitted: the trainer resolves them. */
export function specOf(choice: Choice, start: Start, { train, validation }: Frozen): Fields {
  const { engine, method, adapter, training, lora, evaluation, limits } = choice;
  // The export happens after the job, which does not need to know about it.
  const { tokenizerPre, export: _, ...output } = choice.output;
  const parts = snakeCased({ training, ...(adapter === "full" ? {} : { lora }), evaluation, output, limits });
  const { id, revision, source, trustRemoteCode, checkpoint } = start;
  return {
    spec_version: SPEC_VERSION,
    engine,
    method,
    adapter,
    base_model: {
      id,
      revision,
      source,
      checkpoint_id: checkpoint?.id ?? null,
      trust_remote_code: trustRemoteCode,
    },
    manifest: {
      sha256: train.sha256,
      rows: train.rows,
      schema: "chat.v1",
      validation: validation && { sha256: validation.sha256 },
    },
    ...parts,
    metadata: tokenizerPre === undefined ? {} : { tokenizer_pre: tokenizerPre },
  };
}
