"use client";
import { Button, Group, Modal, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ROLES, type Role } from "@/server/platform/capabilities";
import { ROLE_WORDS } from "../../_components/access/role-words";
import { LinkOnce } from "./link-once";

type Props = { projectId: string; opened: boolean; onClose: () => void };

export function Invite({ projectId, opened, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const mail = useQuery(trpc.signIn.ways.queryOptions()).data?.mail ?? false;
  const [role, setRole] = useState<Role>("viewer");
  const [email, setEmail] = useState("");
  const invite = useMutation(
    trpc.members.invite.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: trpc.members.pathKey() }),
    }),
  );
  const close = () => {
    onClose();
    setEmail("");
    invite.reset();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={invite.data ? "Invitation" : "Invite someone"}
      closeOnClickOutside={!invite.data}
      closeOnEscape={!invite.data}
    >
      {invite.data ? (
        <LinkOnce page="invite" token={invite.data.token} onDone={close}>
          {invite.data.mailedTo === null
            ? "Share this link. It lets one person join, within seven days. You won’t see this again."
            : `The link was e-mailed to ${invite.data.mailedTo}. You can also share it yourself: it works once, within seven days. You won’t see this again.`}
        </LinkOnce>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            invite.mutate({ projectId, role, email: email.trim() || null });
          }}
        >
          <Stack gap="md">
            <Refused error={invite.error} />
            <NativeSelect
              size="sm"
              label="Role"
              description={ROLE_WORDS[role].may}
              data-autofocus
              value={role}
              data={ROLES.map((value) => ({ value, label: ROLE_WORDS[value].label }))}
              onChange={(event) => setRole(ROLES.find((one) => one === event.currentTarget.value) ?? "viewer")}
            />
            <TextInput
              label="E-mail (optional)"
              description={`With one, only that address can use the link${mail ? ", and the link is e-mailed to it." : ". No e-mail is sent."}`}
              type="email"
              maxLength={254}
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={invite.isPending}>
                Create invite link
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
