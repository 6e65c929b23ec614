import { createHash } from "node:crypto";
import { canonicalJson } from "@/server/platform/json/canonical-json";
import recorded from "./recording.generated.json";

type Fields = Record<string, unknown>;
type File = { path: string; size: number; sha256: string };
type Answer = { content: string; finish_reason: "stop" | "length" };

/** A training that a real trainer carried out once, as recorded by `scripts/record-sample-training.ts`. */
export type Recording = {
  /** The version of the trainer that carried it out. */
  trainerVersion: string | null;
  jobId: string;
  manifestSha256: string;
  /** As it was sent. */
  spec: Fields;
  /** The SHA-256 of each row's training content, sorted. */
  rows: string[];
  events: Fields[];
  /** All checkpoints in the events; only one's files were kept. */
  checkpoints: { id: string; step: number; contentSha256: string }[];
  kept: { id: string; files: File[] };
  /** By the SHA-256 of the prompt: the answers of the base model (`base`) and of checkpoints, by their step. */
  answers: Record<string, Record<string, Answer>>;
};

export const RECORDING = recorded as Recording;

/** The folder of the kept checkpoint's files, relative to the root of the installation. */
export const RECORDED_FILES = "server/services/trainers/recorded/files";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Returns the hash that identifies a prompt. */
export const promptHash = (messages: unknown) => sha256(canonicalJson(messages));

/** Returns the hashes that identify a manifest's rows, regardless of the Examples that they come from. */
export function rowHashes(manifest: string): string[] {
  const [, ...rows] = manifest.split("\n").filter((line) => line !== "");
  return rows
    .map((line) => {
      const { example_id: _, example_version: __, sha256: ___, ...content } = JSON.parse(line);
      return sha256(canonicalJson(content));
    })
    .sort();
}

/**
 * Returns a job's spec without what identifies its Examples, which differs between projects, and without the contract's version:
 * the recorded Examples have one answer each, which every version teaches in the same way.
 */
export const comparableSpec = ({ manifest, webhook: _, spec_version: __, ...spec }: Fields) =>
  canonicalJson({ ...spec, manifest: { ...(manifest as Fields), sha256: null } });

/** Returns a checkpoint's id as a trainer builds it: from its job, its step and its content. */
export const checkpointId = (jobId: string, { step, contentSha256 }: Recording["checkpoints"][number]) =>
  `ckpt_${sha256(`${jobId}\0${step}\0${contentSha256}`).slice(0, 24)}`;

/** Returns when the recorded training began and ended, Unix ms. */
export function recordedTimes(): { begin: number; end: number } {
  const times = RECORDING.events.map(({ ts }) => Date.parse(String(ts)));
  return { begin: Math.min(...times), end: Math.max(...times) };
}

/** Returns the recorded events as events of a job that began at `at`, Unix ms. */
export function eventsFor(jobId: string, manifestSha256: string, at: number): Fields[] {
  const shift = at - recordedTimes().begin;
  const names = new Map([
    [RECORDING.jobId, jobId],
    [RECORDING.manifestSha256, manifestSha256],
    ...RECORDING.checkpoints.map((one) => [one.id, checkpointId(jobId, one)] as const),
  ]);
  let text = JSON.stringify(RECORDING.events);
  for (const [was, is] of names) text = text.replaceAll(was, is);
  const later = (time: unknown) => new Date(Date.parse(String(time)) + shift).toISOString();
  return (JSON.parse(text) as Fields[]).map(({ ts, data, ...event }) => {
    const { created_at: created, ...rest } = (data ?? {}) as Fields;
    return {
      ...event,
      ts: later(ts),
      data: { ...rest, ...(created === undefined ? {} : { created_at: later(created) }) },
    };
  });
}
