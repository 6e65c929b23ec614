"use client";
import { Checkbox, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { type PlannedExport, plannedExport } from "@/server/services/training/settings/schemas";
import { type Destination, DestinationFields } from "./destination-fields";
import { EXPORT_FORMATS, GGUF_QUANTIZATIONS } from "./export-form";
import { FORMATS } from "./words";

type Plan = Destination & {
  format: PlannedExport["format"];
  quantization: NonNullable<PlannedExport["quantization"]>;
};
const EMPTY: Plan = { connectionId: "", repoId: "", private: true, format: "gguf", quantization: "q4_k_m" };

const planOf = ({ quantization = EMPTY.quantization, ...rest }: PlannedExport): Plan => ({ ...rest, quantization });
const parsed = ({ quantization, ...rest }: Plan) =>
  plannedExport.safeParse({ ...rest, ...(rest.format === "gguf" ? { quantization } : {}) });

type Props = {
  projectId: string;
  value: PlannedExport | undefined;
  onChange: (value: PlannedExport | undefined) => void;
};

/** Plans where the final checkpoint is published once a training has succeeded. What is incomplete is not planned. */
export function PlannedExportFields({ projectId, value, onChange }: Props) {
  const [plan, setPlan] = useState<Plan | null>(value === undefined ? null : planOf(value));
  const change = (next: Plan | null) => {
    setPlan(next);
    onChange(next === null ? undefined : parsed(next).data);
  };
  const problem = plan === null ? undefined : parsed(plan).error?.issues;
  const repoProblem = problem?.find(({ path }) => path[0] === "repoId")?.message;
  return (
    <Stack gap="sm">
      <Checkbox
        label="Export it at the end"
        description="Publishes the final checkpoint to a hub once training succeeds. The token is checked before training starts."
        checked={plan !== null}
        onChange={(event) => change(event.currentTarget.checked ? EMPTY : null)}
      />
      {plan === null ? null : (
        <>
          <Group gap="sm" align="flex-start">
            <NativeSelect
              size="sm"
              label="Format"
              value={plan.format}
              onChange={(event) => {
                const format = EXPORT_FORMATS.find((one) => one === event.currentTarget.value);
                if (format) change({ ...plan, format });
              }}
              data={EXPORT_FORMATS.map((format) => ({ value: format, label: FORMATS[format].label }))}
            />
            {plan.format === "gguf" ? (
              <NativeSelect
                size="sm"
                label="Quantization"
                value={plan.quantization}
                onChange={(event) => {
                  const quantization = GGUF_QUANTIZATIONS.find((one) => one === event.currentTarget.value);
                  if (quantization) change({ ...plan, quantization });
                }}
                data={[...GGUF_QUANTIZATIONS]}
              />
            ) : null}
          </Group>
          <DestinationFields
            projectId={projectId}
            value={plan}
            onChange={(by) => change({ ...plan, ...by })}
            problems={{ repoId: plan.repoId === "" ? null : (repoProblem ?? null) }}
          />
          {problem === undefined ? null : (
            <Text size="sm" c="dimmed" role="status">
              Not planned yet: choose a hub and name a repository.
            </Text>
          )}
        </>
      )}
    </Stack>
  );
}
