"use client";
import { Stack, Text, TextInput } from "@mantine/core";
import { DateTimePicker } from "@mantine/dates";
import type { UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import { problemOf } from "@/app/_lib/problem";
import type { PriceForm } from "./form";
import { Outcome } from "./outcome";
import classes from "./price-editor.module.css";
import { type UsageRow, UsageRows } from "./usage-rows";
import { type Draft, useEstimates } from "./use-estimates";

type Props = { projectId: string; form: UseFormReturnType<PriceForm>; draft: Draft };

/** The cost of a sample call at stored prices and at the edited ones. Nothing is stored. */
export function LiveTest({ projectId, form, draft }: Props) {
  const [typed, setModel] = useState<string | null>(null);
  const [rows, setRows] = useState<readonly UsageRow[]>([
    { key: 0, bucket: "input_tokens", count: "10000" },
    { key: 1, bucket: "output_tokens", count: "1000" },
  ]);
  const [moment, setMoment] = useState<string | null>(null);
  const model = typed ?? form.values.modelName;
  const { today, then, enabled, hasFaults } = useEstimates({
    projectId,
    form: form.values,
    draft,
    model,
    rows,
    moment,
  });
  return (
    <aside className={classes.rail} aria-label="Try it">
      <Stack gap="sm" className={classes.inner}>
        <Text component="h2" size="md" fw={600} m={0}>
          Try it
        </Text>
        <TextInput
          label="A call of the model"
          spellCheck={false}
          value={model}
          onChange={(event) => setModel(event.currentTarget.value)}
        />
        <DateTimePicker
          label="Made at"
          placeholder="Now"
          valueFormat="YYYY-MM-DD HH:mm"
          clearable
          value={moment}
          onChange={setMoment}
        />
        <UsageRows form={form.values} rows={rows} onChange={setRows} />
        {enabled ? (
          <div aria-live="polite">
            <Outcome title="With this price" estimate={then.data?.estimate} pending={then.isFetching}>
              {hasFaults
                ? "Shown once every amount is filled in."
                : then.error
                  ? (problemOf(then.error).errors[0]?.message ?? problemOf(then.error).detail)
                  : null}
            </Outcome>
            <Outcome
              title={moment === null ? "Current price" : "Prices at that time"}
              estimate={today.data?.estimate}
              pending={today.isFetching}
            >
              {today.error ? problemOf(today.error).detail : null}
            </Outcome>
          </div>
        ) : (
          <Text size="sm" c="dimmed">
            Name a model to see what its call would cost.
          </Text>
        )}
      </Stack>
    </aside>
  );
}
