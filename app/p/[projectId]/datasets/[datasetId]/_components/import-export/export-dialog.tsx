"use client";
import { Button, Group, Modal, NativeSelect, NumberInput, Radio, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { formatCount, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { ExportPreview } from "@/server/services/datasets/exports/schemas";

type Format = ExportPreview["formats"][number];
type Split = "train" | "validation" | "test";

const SPLITS: { value: Split; label: string }[] = [
  { value: "train", label: "Train" },
  { value: "validation", label: "Validation" },
  { value: "test", label: "Test" },
];

const FORMATS: Record<Format["format"], { label: string; says: string }> = {
  lossless: { label: "Lossless JSONL", says: "Everything, for backup or to import again." },
  openai_chat: { label: "OpenAI fine-tuning", says: "Chat messages, with exactly the keys that OpenAI accepts." },
  openai_preference: { label: "OpenAI preference", says: "Preferred and rejected answers for OpenAI’s DPO." },
  trl_sft: { label: "TRL, supervised", says: "Whole conversations for TRL’s SFTTrainer." },
  trl_prompt_completion: {
    label: "TRL, prompt and completion",
    says: "For TRL’s SFTTrainer, which trains on the answer only.",
  },
  trl_dpo: { label: "TRL, preference", says: "Prompt, chosen and rejected, for TRL’s DPOTrainer." },
  trl_kto: { label: "TRL, KTO", says: "Answers labelled good or bad, for TRL’s KTOTrainer." },
  csv: { label: "CSV", says: "Everything in columns, for a spreadsheet." },
  parquet: { label: "Parquet", says: "Everything in columns, for data tools." },
};

type Props = { projectId: string; datasetId: string; opened: boolean; onClose: () => void };

/** Downloads a version of the Dataset in a format, after showing what the format leaves out. */
export const ExportDialog = ({ opened, onClose, ...rest }: Props) => (
  <Modal opened={opened} onClose={onClose} title="Export" size="lg">
    {opened ? <Fields {...rest} onClose={onClose} /> : null}
  </Modal>
);

function Fields({ projectId, datasetId, onClose }: Omit<Props, "opened">) {
  const trpc = useTRPC();
  const [format, setFormat] = useState<Format["format"]>("lossless");
  const [split, setSplit] = useState<Split | null>(null);
  const [version, setVersion] = useState<number | null>(null);
  const chosen = { ...(split && { split }), ...(version !== null && { version }) };
  const query = useQuery(
    trpc.datasetExports.preview.queryOptions(
      { projectId, datasetId, ...chosen },
      { placeholderData: keepPreviousData, retry: false },
    ),
  );
  const preview = query.data?.preview;
  const found = preview?.formats.find((one) => one.format === format);
  const parameters = new URLSearchParams({
    format,
    ...(split && { split }),
    ...(version !== null && { version: String(version) }),
  });
  const href = `/v1/projects/${projectId}/datasets/${datasetId}/export?${parameters}`;
  return (
    <Stack gap="md">
      <Group gap="sm" align="flex-end">
        <NumberInput
          label="Version"
          size="xs"
          w={130}
          min={1}
          allowDecimal={false}
          placeholder={preview ? `${preview.version} (newest)` : "newest"}
          value={version ?? ""}
          onChange={(value) => setVersion(Number(value) || null)}
        />
        <NativeSelect
          label="Split"
          size="xs"
          value={split ?? ""}
          onChange={(event) => setSplit(SPLITS.find(({ value }) => value === event.currentTarget.value)?.value ?? null)}
          data={[{ value: "", label: "All" }, ...SPLITS]}
        />
      </Group>
      <Radio.Group
        label="Format"
        value={format}
        onChange={(value) => {
          const known = Object.keys(FORMATS).find((one) => one === value);
          if (known) setFormat(known as Format["format"]);
        }}
      >
        <Stack gap={4} mt={4}>
          {Object.entries(FORMATS).map(([value, { label, says }]) => (
            <Radio key={value} size="xs" value={value} label={label} description={says} />
          ))}
        </Stack>
      </Radio.Group>
      {query.error ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
      ) : preview && found ? (
        <Losses preview={preview} format={found} />
      ) : (
        <Text size="sm" c="dimmed" role="status">
          Counting Examples…
        </Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        {preview && found && !query.error ? (
          <Button component="a" href={href} download leftSection={<IconDownload size={14} aria-hidden />}>
            Download
          </Button>
        ) : null}
      </Group>
    </Stack>
  );
}

/** What the file would contain, and what it would not. */
function Losses({ preview, format }: { preview: ExportPreview; format: Format }) {
  const { examples, examined, complete } = preview;
  const skipped = format.skipped.reduce((sum, one) => sum + one.examples, 0);
  return (
    <Stack gap={4} role="status" aria-label="Contents of the file">
      <Text size="sm">
        {complete
          ? `${formatCount(format.exported)} of ${plural(examples, "Example")}.`
          : `${plural(examples, "Example")} match; of the first ${formatCount(examined)}, ${formatCount(format.exported)} fit.`}
      </Text>
      {format.skipped.map(({ reason, examples: count }) => (
        <Text size="sm" key={reason}>
          {plural(count, "Example")} of {formatCount(examined)} skipped: {reason}.
        </Text>
      ))}
      {format.losses.map((loss) => (
        <Text size="sm" c="dimmed" key={loss}>
          {loss}.
        </Text>
      ))}
      {skipped === 0 && format.losses.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing is left out.
        </Text>
      ) : null}
    </Stack>
  );
}
