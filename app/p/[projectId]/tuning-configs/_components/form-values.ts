import type { z } from "zod";
import type { createTuningConfigInput, TuningConfig } from "@/server/services/training/tuning-configs/schemas";
import { type Settings, settingsIn } from "../../training/new/_components/draft";

export type ConfigInput = z.input<typeof createTuningConfigInput>;
export type FormValues = {
  name: string;
  datasetId: string;
  /** A model's id, or a checkpoint's after `checkpoint:`. */
  base: string;
  source: "hub" | "local";
  revision: string | null;
  method: TuningConfig["method"];
  adapter: TuningConfig["adapter"];
  settings: Settings;
  enabled: boolean;
  minNewExamples: number;
  scheduled: boolean;
  cron: string;
  cooldownMinutes: number;
  dailyCap: number;
  deploys: boolean;
  /** Empty: derived from the configuration's name. */
  servedName: string;
  /** In percent. */
  maxLossIncrease: number;
  maxPreserveDrop: number;
};

const CHECKPOINT = "checkpoint:";
export const checkpointIn = (base: string) => (base.startsWith(CHECKPOINT) ? base.slice(CHECKPOINT.length) : null);
const PERCENT = 100;
/** Without floating-point noise: 0.07 is 7 %, not 7.000000000000001. */
const percentOf = (part: number) => Number((part * PERCENT).toPrecision(12));
const WEEKLY = "0 3 * * 1";

export const EMPTY: FormValues = {
  name: "",
  datasetId: "",
  base: "",
  source: "hub",
  revision: null,
  method: "sft",
  adapter: "lora",
  settings: {},
  enabled: false,
  minNewExamples: 100,
  scheduled: false,
  cron: WEEKLY,
  cooldownMinutes: 60,
  dailyCap: 1,
  deploys: false,
  servedName: "",
  maxLossIncrease: 0,
  maxPreserveDrop: 5,
};

export const valuesOf = (config: TuningConfig): FormValues => ({
  name: config.name,
  datasetId: config.datasetId,
  ...("checkpointId" in config.baseModel
    ? { base: `${CHECKPOINT}${config.baseModel.checkpointId}`, source: "hub" as const, revision: null }
    : {
        base: config.baseModel.id,
        source: config.baseModel.source ?? "hub",
        revision: config.baseModel.revision ?? null,
      }),
  method: config.method,
  adapter: config.adapter,
  settings: settingsIn(config),
  enabled: config.trigger.enabled,
  minNewExamples: config.trigger.minNewExamples,
  scheduled: config.trigger.cron !== null,
  cron: config.trigger.cron ?? WEEKLY,
  cooldownMinutes: config.trigger.cooldownMinutes,
  dailyCap: config.trigger.dailyCap,
  deploys: config.deployment.enabled,
  servedName: config.deployment.name ?? "",
  maxLossIncrease: percentOf(config.deployment.maxLossIncrease),
  maxPreserveDrop: percentOf(config.deployment.maxPreserveDrop),
});

export function inputOf(values: FormValues): ConfigInput {
  const checkpointId = checkpointIn(values.base);
  const { training = {}, lora = {}, evaluation = {}, limits = {}, output } = values.settings;
  return {
    name: values.name.trim(),
    datasetId: values.datasetId,
    baseModel:
      checkpointId !== null
        ? { checkpointId }
        : {
            id: values.base.trim(),
            source: values.source,
            ...(values.source === "hub" && values.revision !== null ? { revision: values.revision } : {}),
          },
    method: values.method,
    adapter: values.adapter,
    training,
    lora: values.adapter === "full" ? {} : lora,
    evaluation,
    limits,
    ...(output === undefined ? {} : { output }),
    trigger: {
      enabled: values.enabled,
      minNewExamples: values.minNewExamples,
      cron: values.scheduled ? values.cron.trim() : null,
      cooldownMinutes: values.cooldownMinutes,
      dailyCap: values.dailyCap,
    },
    deployment: {
      enabled: values.deploys,
      name: values.servedName.trim() || null,
      maxLossIncrease: values.maxLossIncrease / PERCENT,
      maxPreserveDrop: values.maxPreserveDrop / PERCENT,
    },
  };
}
