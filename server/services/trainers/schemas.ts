import { z } from "zod";
import { TRAINER_KINDS } from "@/db/schema/enumerations";
import { filledText, idInput } from "@/server/platform/schemas";

const device = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  /** Bytes. */
  memoryTotal: z.number().nullable(),
  memoryFree: z.number().nullable(),
});

/** A machine that trains, as a project sees it. Times are Unix ms. */
export const trainer = z.object({
  id: z.string(),
  kind: z.enum(TRAINER_KINDS),
  name: z.string(),
  /** Whether it has responded recently. */
  online: z.boolean(),
  version: z.string().nullable(),
  devices: z.array(device),
  /** The values of a job's settings that it supports. */
  supports: z.object({
    methods: z.array(z.string()),
    adapters: z.array(z.string()),
    formats: z.array(z.string()),
    ggufQuantizations: z.array(z.string()),
    compressedQuantizations: z.array(z.string()),
    /** The backends with which it serves models. */
    serveBackends: z.array(z.string()),
  }),
  /** What it cannot do, why, and how to change that. */
  unavailable: z.array(z.object({ feature: z.string(), reason: z.string(), hint: z.string().nullable() })),
  packages: z.record(z.string(), z.string()),
  diskFreeBytes: z.number().nullable(),
  /** Of its own files: jobs, models, and what was built; `null` if it does not report that. */
  diskUsedBytes: z.number().nullable(),
  /** Jobs that it is working on: the project's own, or all of them for who may manage trainers. */
  jobsRunning: z.int(),
  lastSeenAt: z.number().nullable(),
  error: z.string().nullable(),
  /** The last characters of an agent's key. */
  keyHint: z.string().nullable(),
  createdAt: z.number(),
});
export type Trainer = z.infer<typeof trainer>;
export const trainersReply = z.object({
  trainers: z.array(trainer),
  /** Whether the caller may add and remove trainers. */
  mayManage: z.boolean(),
});
export const listTrainersInput = z.strictObject({});
export const addTrainerInput = z.strictObject({
  name: filledText(100, "Enter a name."),
  /** The trainer that gets a new key; without, a new one is added. */
  trainerId: idInput.optional(),
});
/** `key` is returned only here. */
export const addedTrainerReply = z.object({ trainer, key: z.string(), command: z.string() });
export const trainerIdInput = z.strictObject({ trainerId: idInput });

/** What went wrong at a trainer, in the form of its contract. */
export const trainerProblem = z.object({
  code: z.string(),
  message: z.string(),
  param: z.string().nullable().default(null),
  retryable: z.boolean().default(false),
  /** Who is responsible: `user`, `platform`, `hardware` or `dependency`. */
  blame: z.string().nullable().default(null),
  phase: z.string().nullable().default(null),
  /** What to do. */
  hint: z.string().nullable().default(null),
  /** The last lines of the worker's log. */
  logTail: z.array(z.string()).default([]),
});
