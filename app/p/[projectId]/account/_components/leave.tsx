"use client";
import { Button, Checkbox } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../../_components/access/membership";
import { ConfirmDialog } from "../../_components/confirm/confirm-dialog";

export function Leave({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [opened, dialog] = useDisclosure(false);
  const leave = useMutation(trpc.projects.leave.mutationOptions({ onSuccess: () => window.location.assign("/") }));
  const mayHaveKeys = useMay("project:admin");
  const [revokeKeys, setRevokeKeys] = useState(true);
  return (
    <>
      <Button variant="default" size="sm" onClick={dialog.open}>
        Leave the project…
      </Button>
      <ConfirmDialog
        subject={opened ? projectId : null}
        onClose={dialog.close}
        title={() => "Leave this project?"}
        says={() => "You lose it at once; only an owner can let you in again. The last owner cannot leave."}
        action="Leave"
        keep="Stay"
        running={{ ...leave, isPending: leave.isPending || leave.isSuccess }}
        onConfirm={() => leave.mutate({ projectId, revokeKeys: mayHaveKeys && revokeKeys })}
      >
        {mayHaveKeys ? (
          <Checkbox
            size="sm"
            label="Revoke the API keys that I made here"
            checked={revokeKeys}
            onChange={(event) => setRevokeKeys(event.currentTarget.checked)}
          />
        ) : null}
      </ConfirmDialog>
    </>
  );
}
