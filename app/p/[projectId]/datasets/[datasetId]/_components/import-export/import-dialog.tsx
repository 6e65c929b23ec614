"use client";
import { Modal, Stack } from "@mantine/core";
import { useState } from "react";
import { ChooseFile } from "./choose-file";
import { EarlierImports } from "./earlier-imports";
import { FollowImport } from "./follow-import";
import { PrepareImport } from "./prepare-import";

type Props = {
  projectId: string;
  datasetId: string;
  /** `new`, or the id of an import to follow; `null` while closed. */
  opened: string | null;
  onOpen: (importId: string) => void;
  onClose: () => void;
};

/** Imports a file: choose it, check what its rows become, start the import, and follow it to its result. */
export function ImportDialog({ opened, onClose, ...rest }: Props) {
  return (
    <Modal opened={opened !== null} onClose={onClose} title={opened === "new" ? "Import Examples" : "Import"} size="lg">
      {opened === null ? null : opened === "new" ? (
        <NewImport {...rest} onClose={onClose} />
      ) : (
        <FollowImport
          key={opened}
          projectId={rest.projectId}
          datasetId={rest.datasetId}
          importId={opened}
          onClose={onClose}
        />
      )}
    </Modal>
  );
}

function NewImport({ projectId, datasetId, onOpen, onClose }: Omit<Props, "opened">) {
  const [fileId, setFileId] = useState<string | null>(null);
  if (fileId === null) {
    return (
      <Stack gap="lg">
        <ChooseFile projectId={projectId} onUploaded={setFileId} onClose={onClose} />
        <EarlierImports projectId={projectId} datasetId={datasetId} onOpen={onOpen} />
      </Stack>
    );
  }
  return (
    <PrepareImport projectId={projectId} datasetId={datasetId} fileId={fileId} onStarted={onOpen} onClose={onClose} />
  );
}
