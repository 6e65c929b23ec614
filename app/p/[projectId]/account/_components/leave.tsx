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
        says={() => "You lose access immediately, and only an owner can invite you again. The last owner can’t leave."}
        action="Leave"
        keep="Stay"
        running={{ ...leave, isPending: leave.isPending || leave.isSuccess }}
        onConfirm={() => leave.mutate({ projectId, revokeKeys: mayHaveKeys && revokeKeys })}
      >
        {mayHaveKeys ? (
          <Checkbox
            size="sm"
            label="Revoke the API keys I created here"
            checked={revokeKeys}
            onChange={(event) => setRevokeKeys(event.currentTarget.checked)}
          />
        ) : null}
      </ConfirmDialog>
    </>
  );
}
