"use client";
import { ActionIcon, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDots, IconTrash } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ConfirmDialog } from "../../../../../_components/confirm/confirm-dialog";
import { useRefresh } from "../../../../_components/use-refresh";

type Props = { projectId: string; datasetId: string; exampleId: string; back: string };

/** Deletes an Example, after asking. */
export function ExampleMenu({ projectId, datasetId, exampleId, back }: Props) {
  const trpc = useTRPC();
  const refresh = useRefresh();
  const router = useRouter();
  const [deleting, setDeleting] = useState(false);
  const remove = useMutation(
    trpc.examples.delete.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: "Deleted the Example" });
        router.push(back);
        void refresh();
      },
    }),
  );
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="More actions">
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item color="red" leftSection={<IconTrash size={14} aria-hidden />} onClick={() => setDeleting(true)}>
            Delete Example…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        subject={deleting ? exampleId : null}
        onClose={() => setDeleting(false)}
        title={() => "Delete this Example?"}
        says={() =>
          "It is removed from the Dataset, but earlier versions still contain it. Restore one of those versions to get it back."
        }
        action="Delete"
        running={remove}
        onConfirm={() => remove.mutate({ projectId, datasetId, exampleId })}
      />
    </>
  );
}
