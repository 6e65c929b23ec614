-- Settings that every trainer refuses are no longer accepted, so stored ones go back to their default.
UPDATE "tuning_configs" SET "settings" = "settings" #- '{training,warmupRatio}'
WHERE jsonb_typeof("settings" #> '{training,warmupRatio}') = 'number' AND ("settings" #>> '{training,warmupRatio}')::float8 >= 1;--> statement-breakpoint
UPDATE "tuning_configs" SET "settings" = "settings" #- '{lora,loraDropout}'
WHERE jsonb_typeof("settings" #> '{lora,loraDropout}') = 'number' AND ("settings" #>> '{lora,loraDropout}')::float8 >= 1;--> statement-breakpoint
UPDATE "tuning_configs" SET "settings" = "settings" #- '{training,lossType}'
WHERE jsonb_typeof("settings" #> '{training,lossType}') = 'string' AND "settings" #>> '{training,lossType}' NOT IN (
  'nll', 'dft', 'sigmoid', 'hinge', 'ipo', 'robust', 'apo_zero', 'apo_down', 'sft', 'odds_ratio', 'kto', 'apo_zero_unpaired');
