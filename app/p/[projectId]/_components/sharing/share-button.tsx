"use client";
import { ActionIcon, Modal, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconShare2 } from "@tabler/icons-react";
import { useMay } from "../access/membership";
import { ShareDialog } from "./share-dialog";
import type { Sharable } from "./share-words";

/** Opens the dialog in which a read-only copy is shared; renders nothing for readers who may not share. */
export function ShareButton({ projectId, shared }: { projectId: string; shared: Sharable }) {
  const may = useMay("diagnostics:write");
  const [opened, { open, close }] = useDisclosure(false);
  if (!may) return null;
  return (
    <>
      <Tooltip label="Share a read-only copy">
        <ActionIcon variant="default" size={30} aria-label="Share" onClick={open}>
          <IconShare2 size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Modal opened={opened} onClose={close} title="Share a read-only copy" size="lg">
        <ShareDialog projectId={projectId} shared={shared} onClose={close} />
      </Modal>
    </>
  );
}
