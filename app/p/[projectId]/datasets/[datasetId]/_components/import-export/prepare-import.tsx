"use client";
import { Button, Group, Radio, Stack, Text } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Refused } from "@/app/_components/feedback/refused";
import { formatBytes } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Role } from "@/server/services/datasets/formats/schemas";
import { ColumnMapping } from "./column-mapping";
import { FORMAT_WORDS, SHAPE_WORDS } from "./import-words";
import { PreviewRows } from "./preview-rows";

type Props = {
  projectId: string;
  datasetId: string;
  fileId: string;
  onStarted: (importId: string) => void;
  onClose: () => void;
};

type OnError = "all_or_nothing" | "good_rows";
type Duplicates = "skip" | "update" | "keep";

const ON_ERROR: { value: OnError; label: string; description: string }[] = [
  {
    value: "all_or_nothing",
    label: "All rows or none",
    description: "The whole file is checked before anything is stored.",
  },
  {
    value: "good_rows",
    label: "The usable rows",
    description: "Unusable rows can be downloaded afterwards, with their problems.",
  },
];
const DUPLICATES: { value: Duplicates; label: string; description: string }[] = [
  { value: "skip", label: "Skip duplicates", description: "The existing Example stays as it is." },
  { value: "update", label: "Update duplicates", description: "The existing Example gets the row’s content." },
  { value: "keep", label: "Keep both", description: "Except where the content is the same." },
];

/** Shows what an uploaded file contains, lets the reader map its columns, and starts the import. */
export function PrepareImport({ projectId, datasetId, fileId, onStarted, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [mapping, setMapping] = useState<Record<string, Role>>({});
  const [onError, setOnError] = useState<OnError>("all_or_nothing");
  const [duplicates, setDuplicates] = useState<Duplicates>("skip");
  const input = { projectId, datasetId, fileId, ...(Object.keys(mapping).length > 0 && { mapping }) };
  const preview = useQuery(
    trpc.datasetImports.preview.queryOptions(input, { placeholderData: keepPreviousData, retry: false }),
  );
  const create = useMutation(
    trpc.datasetImports.create.mutationOptions({
      onSuccess: ({ import: { id } }) => {
        void queries.invalidateQueries({ queryKey: trpc.datasetImports.pathKey() });
        onStarted(id);
      },
    }),
  );
  const found = preview.data?.preview;
  if (preview.error) {
    return <ErrorState error={preview.error} onRetry={() => void preview.refetch()} retrying={preview.isFetching} />;
  }
  if (!found) {
    return (
      <Text size="sm" c="dimmed" role="status">
        Reading the file…
      </Text>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (found.usable && !preview.isPlaceholderData) create.mutate({ ...input, onError, duplicates });
      }}
    >
      <Stack gap="md">
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {found.fileName} ({FORMAT_WORDS[found.format]}, {formatBytes(found.bytes)}):{" "}
          {SHAPE_WORDS[found.shape] ?? found.shape}
        </Text>
        <ColumnMapping
          preview={found}
          onChange={(column, role) => setMapping((chosen) => ({ ...chosen, [column]: role }))}
        />
        <PreviewRows preview={found} />
        <Choice label="Unusable rows" value={onError} onChange={setOnError} options={ON_ERROR} />
        <Choice label="Duplicates" value={duplicates} onChange={setDuplicates} options={DUPLICATES} />
        <Refused error={create.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={!found.usable || preview.isPlaceholderData}>
            Start import
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type ChoiceProps<Value extends string> = {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  options: { value: Value; label: string; description: string }[];
};

function Choice<Value extends string>({ label, value, onChange, options }: ChoiceProps<Value>) {
  return (
    <Radio.Group
      label={label}
      value={value}
      onChange={(chosen) => {
        const option = options.find((one) => one.value === chosen);
        if (option) onChange(option.value);
      }}
    >
      <Stack gap={4} mt={4}>
        {options.map((option) => (
          <Radio key={option.value} size="xs" {...option} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
