"use client";
import { Button, Group } from "@mantine/core";
import { IconDownload, IconFileImport } from "@tabler/icons-react";
import { parseAsBoolean, parseAsString, useQueryStates } from "nuqs";
import { useMay } from "../../../../_components/access/membership";
import { ExportDialog } from "./export-dialog";
import { ImportDialog } from "./import-dialog";

/** `import`: `new`, or the id of the import being followed. */
const parsers = { import: parseAsString, export: parseAsBoolean.withDefault(false) };

type Props = { projectId: string; datasetId: string };

/** The buttons that import into a Dataset and export it, with their dialogs. The open dialog is stored in the URL. */
export function ImportExport({ projectId, datasetId }: Props) {
  const may = useMay("models:manage");
  const [view, setView] = useQueryStates(parsers, { history: "replace" });
  return (
    <Group gap="xs" px="md" py="xs">
      {may ? (
        <Button
          variant="default"
          leftSection={<IconFileImport size={14} aria-hidden />}
          onClick={() => void setView({ import: "new" })}
        >
          Import
        </Button>
      ) : null}
      <Button
        variant="default"
        leftSection={<IconDownload size={14} aria-hidden />}
        onClick={() => void setView({ export: true })}
      >
        Export
      </Button>
      <ImportDialog
        projectId={projectId}
        datasetId={datasetId}
        opened={view.import}
        onOpen={(id) => void setView({ import: id })}
        onClose={() => void setView({ import: null })}
      />
      <ExportDialog
        projectId={projectId}
        datasetId={datasetId}
        opened={view.export}
        onClose={() => void setView({ export: null })}
      />
    </Group>
  );
}
