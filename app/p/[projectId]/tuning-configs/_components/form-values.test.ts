import { expect, test } from "vitest";
import { createTuningConfigInput, type TuningConfig } from "@/server/services/training/tuning-configs/schemas";
import { EMPTY, inputOf, valuesOf } from "./form-values";

const FILLED = { ...EMPTY, name: " Weekly ", datasetId: "ds_1", base: "Qwen/Qwen3-0.6B", revision: "main" };

test("the form sends what the service accepts", () => {
  const input = inputOf({ ...FILLED, enabled: true, scheduled: true, settings: { lora: { r: 32 } } });
  expect(createTuningConfigInput.safeParse(input).success).toBe(true);
  expect(input).toMatchObject({
    name: "Weekly",
    baseModel: { id: "Qwen/Qwen3-0.6B", source: "hub", revision: "main" },
    lora: { r: 32 },
    trigger: { enabled: true, cron: "0 3 * * 1" },
  });
});

test("a stored configuration comes back unchanged from its form", () => {
  const stored = createTuningConfigInput.parse(
    inputOf({ ...FILLED, name: "Weekly", settings: { training: { learningRate: 0.0001 } } }),
  );
  const config = stored as unknown as TuningConfig;
  expect(createTuningConfigInput.parse(inputOf(valuesOf(config)))).toEqual(stored);
  const continued = { ...config, baseModel: { checkpointId: "ckpt_1" } };
  expect(inputOf(valuesOf(continued)).baseModel).toEqual({ checkpointId: "ckpt_1" });
});

test("automatic deployment's limits are percentages in the form, and convert back unchanged", () => {
  const given = { enabled: true, name: null, maxLossIncrease: 0.07, maxPreserveDrop: 0.02 };
  const stored = createTuningConfigInput.parse({ ...inputOf(FILLED), deployment: given });
  const values = valuesOf(stored as unknown as TuningConfig);
  expect(values).toMatchObject({ deploys: true, maxLossIncrease: 7, maxPreserveDrop: 2 });
  expect(inputOf(values).deployment).toEqual(given);
});
