"use client";
import { NativeSelect } from "@mantine/core";
import { useDatasets } from "../../_components/datasets/use-datasets";

type Props = { projectId: string; value: string | null; onChange: (id: string | null) => void };

/** Chooses the Dataset whose candidates are reviewed. */
export function DatasetSelect({ projectId, value, onChange }: Props) {
  const { data: datasets = [] } = useDatasets(projectId);
  return (
    <NativeSelect
      aria-label="Dataset"
      maw={260}
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value || null)}
      data={[{ value: "", label: "All Datasets" }, ...datasets.map(({ id, name }) => ({ value: id, label: name }))]}
    />
  );
}
