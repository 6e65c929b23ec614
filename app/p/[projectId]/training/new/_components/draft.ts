import { createParser, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { z } from "zod";
import type { createJobInput } from "@/server/services/training/jobs/schemas";
import {
  BASE_MODEL_SOURCES,
  evaluationSettings,
  limitSettings,
  loraSettings,
  outputSettings,
  TRAINING_ADAPTERS,
  TRAINING_METHODS,
  trainingSettings,
} from "@/server/services/training/settings/schemas";

export const STEPS = ["dataset", "model", "method", "settings", "check"] as const;
export type Step = (typeof STEPS)[number];

const PARTS = {
  training: trainingSettings,
  lora: loraSettings,
  evaluation: evaluationSettings,
  output: outputSettings,
  limits: limitSettings,
};
export type Part = keyof typeof PARTS;
/** The settings that differ from the defaults, by part. */
export type Settings = { [Name in Part]?: Partial<z.input<(typeof PARTS)[Name]>> };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** Returns a part's settings that a job's spec stores under another part. */
const elsewhere = (spec: Record<string, unknown>, part: string): Record<string, unknown> =>
  part === "output" && isRecord(spec.metadata) && spec.metadata.tokenizerPre !== undefined
    ? { tokenizerPre: spec.metadata.tokenizerPre }
    : {};

/** Returns the settings of a job's spec or a configuration that this version knows; the rest is left out. */
export function settingsIn(spec: unknown): Settings {
  if (!isRecord(spec)) return {};
  const parts = Object.entries(PARTS).map(([part, schema]) => {
    const fields: Record<string, z.ZodType> = schema.shape;
    const given = Object.entries({ ...(isRecord(spec[part]) ? spec[part] : {}), ...elsewhere(spec, part) });
    return [part, Object.fromEntries(given.filter(([name, value]) => fields[name]?.safeParse(value).success))] as const;
  });
  return Object.fromEntries(parts.filter(([, settings]) => Object.keys(settings).length > 0));
}

/** Settings as JSON in the URL; unknown ones are left out. */
const parseAsSettings = createParser<Settings>({
  parse: (text) => {
    try {
      return settingsIn(JSON.parse(text));
    } catch {
      return null;
    }
  },
  serialize: (settings) => JSON.stringify(settings),
  eq: (a, b) => JSON.stringify(a) === JSON.stringify(b),
});

/** The whole draft is in the URL: it survives a reload and can be shared. */
export const draftParsers = {
  step: parseAsStringLiteral(STEPS).withDefault("dataset"),
  name: parseAsString.withDefault(""),
  dataset: parseAsString,
  version: parseAsInteger,
  base: parseAsString,
  source: parseAsStringLiteral(BASE_MODEL_SOURCES).withDefault("hub"),
  revision: parseAsString,
  checkpoint: parseAsString,
  method: parseAsStringLiteral(TRAINING_METHODS).withDefault("sft"),
  adapter: parseAsStringLiteral(TRAINING_ADAPTERS).withDefault("lora"),
  settings: parseAsSettings.withDefault({}),
  /** The job that it was copied from, and the job or configuration still to be copied. */
  from: parseAsString,
  clone: parseAsString,
  config: parseAsString,
};

export type Draft = {
  step: Step;
  name: string;
  dataset: string | null;
  version: number | null;
  base: string | null;
  source: (typeof BASE_MODEL_SOURCES)[number];
  revision: string | null;
  checkpoint: string | null;
  method: (typeof TRAINING_METHODS)[number];
  adapter: (typeof TRAINING_ADAPTERS)[number];
  settings: Settings;
  from: string | null;
  clone: string | null;
  config: string | null;
};
export type SetDraft = (change: Partial<{ [Name in keyof Draft]: Draft[Name] | null }>) => void;

export type JobInput = z.input<typeof createJobInput>;

/** Returns the request that a draft describes; `null` while it lacks a Dataset or a model. */
export function requestOf(draft: Draft): Omit<JobInput, "name" | "clonedFromId"> | null {
  const { dataset, version, base, source, revision, checkpoint, method, adapter, settings } = draft;
  if (dataset === null || (base === null && checkpoint === null)) return null;
  const { lora, output, ...rest } = settings;
  return {
    datasetId: dataset,
    ...(version === null ? {} : { datasetVersion: version }),
    baseModel:
      checkpoint !== null
        ? { checkpointId: checkpoint }
        : { id: base ?? "", source, ...(source === "hub" && revision !== null ? { revision } : {}) },
    method,
    adapter,
    ...rest,
    ...(adapter === "full" || lora === undefined ? {} : { lora }),
    ...(output === undefined ? {} : { output }),
  };
}

/** Returns whether a step can be opened: each needs the choices of the previous ones. */
export const canOpen = (step: Step, draft: Draft) =>
  step === "dataset" || (draft.dataset !== null && (step === "model" || requestOf(draft) !== null));

type Copied = { method: Draft["method"]; adapter: Draft["adapter"]; datasetId: string; spec: unknown; name: string };

/** Returns the draft that copies a job or a configuration. */
export const copyOf = (
  { method, adapter, datasetId, spec, name }: Copied,
  base: { id: string; source: Draft["source"]; revision: string | null } | { checkpointId: string },
) => ({
  dataset: datasetId,
  method,
  adapter,
  name,
  settings: settingsIn(spec),
  ...("checkpointId" in base
    ? { checkpoint: base.checkpointId, base: null, source: null, revision: null }
    : { base: base.id, source: base.source, revision: base.revision, checkpoint: null }),
  step: "settings" as const,
  clone: null,
  config: null,
});
