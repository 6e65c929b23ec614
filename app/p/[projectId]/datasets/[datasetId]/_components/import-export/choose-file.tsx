"use client";
import { Button, FileInput, Group, Progress, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { formatBytes, formatPercent } from "@/app/_lib/format";
import { FILE_LIMITS } from "@/server/services/datasets/formats/schemas";
import { uploadFile } from "./upload-file";

type Props = { projectId: string; onUploaded: (fileId: string) => void; onClose: () => void };

/** Lets the reader choose a local file and uploads it. */
export function ChooseFile({ projectId, onUploaded, onClose }: Props) {
  const [file, setFile] = useState<File | null>(null);
  const [share, setShare] = useState(0);
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const upload = useMutation({
    mutationFn: (chosen: File) => {
      stop.current = new AbortController();
      return uploadFile(projectId, chosen, { onProgress: setShare, signal: stop.current.signal });
    },
    onSuccess: ({ id }) => onUploaded(id),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (file) upload.mutate(file);
      }}
    >
      <Stack gap="md">
        <FileInput
          label="File"
          description={`JSONL, JSON, CSV or Parquet, up to 5 GB. Langfuse and OpenPipe exports are read as they are. ${FILE_LIMITS}`}
          placeholder="Choose a file"
          accept=".jsonl,.ndjson,.json,.csv,.tsv,.parquet,.txt"
          value={file}
          onChange={(chosen) => {
            setFile(chosen);
            setShare(0);
            upload.reset();
          }}
          disabled={upload.isPending}
          data-autofocus
        />
        <Text size="sm" c="dimmed">
          The file is deleted 30 days after its upload, or earlier if the project keeps conversations for less. What it
          adds to the Dataset stays. If it contains Examples that were exported from this project, it is deleted as soon
          as one of their users or conversations is.
        </Text>
        {upload.isPending && file ? (
          <div>
            <Progress size="sm" value={share * 100} aria-label="Uploaded" />
            <Text size="xs" c="dimmed" className="tabular" role="status" mt={2}>
              {formatPercent(share)} of {formatBytes(file.size)} uploaded
            </Text>
          </div>
        ) : null}
        <Refused error={upload.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!file} loading={upload.isPending}>
            Upload and preview
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
