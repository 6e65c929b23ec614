"use client";
import { Button, Checkbox, Group, Modal, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Role } from "@/server/platform/capabilities";
import type { Member } from "@/server/services/members/schemas";
import { ROLE_WORDS } from "../../_components/access/role-words";
import { LinkOnce } from "./link-once";

export type Doing = { member: Member } & ({ what: "remove" | "transfer" | "reset" } | { what: "role"; role: Role });
type Props = { projectId: string; doing: Doing | null; onClose: () => void };

const LINKS_STOP = "Invitations and password links they created stop working.";
const nameOf = ({ name, email }: Member) => name ?? email;

/** A confirmation's question, its consequences, and its toast. */
function wordsFor(doing: Doing) {
  const who = nameOf(doing.member);
  switch (doing.what) {
    case "remove":
      return {
        title: `Remove ${who}?`,
        says: `They lose access to this project from their next request. ${LINKS_STOP} API keys belong to the project and stay, unless you revoke them.`,
        action: "Remove",
        done: `${who} is no longer a member.`,
      };
    case "transfer":
      return {
        title: `Hand the project over to ${who}?`,
        says: "They become an owner and you become a manager. Invitations and password links you created stop working. Only an owner can give it back.",
        action: "Hand over",
        done: `${who} now owns the project.`,
      };
    case "reset":
      return {
        title: `Create a password link for ${who}?`,
        says: "They can use it once, within a day, to set a new password. All their browsers are then signed out, and at their next sign-in they see that you created it. Anyone with the link can use it, so do not share it with anyone else. If their password also gives access to projects that are not yours, the link is e-mailed to them and not shown to you.",
        action: "Create password link",
        done: "",
      };
    case "role": {
      const { one, may } = ROLE_WORDS[doing.role];
      return {
        title: `Make ${who} ${one}?`,
        says: `${may} ${doing.role === "owner" ? "They can also remove you." : `They stop being an owner. ${LINKS_STOP}`}`,
        action: `Make ${one}`,
        done: `${who} is now ${one}.`,
      };
    }
  }
}

/** Asks before actions that cannot simply be undone. */
export function ConfirmMember({ projectId, doing, onClose }: Props) {
  // Keeps the content while the dialog fades out.
  const [shown, setShown] = useState(doing);
  if (doing && doing !== shown) setShown(doing);
  return (
    <>
      {shown ? (
        <Dialog
          key={`${shown.what} ${shown.member.userId}`}
          {...{ projectId, onClose }}
          doing={shown}
          opened={!!doing}
        />
      ) : null}
    </>
  );
}

type DialogProps = { projectId: string; doing: Doing; opened: boolean; onClose: () => void };

function Dialog({ projectId, doing, opened, onClose }: DialogProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { userId } = doing.member;
  const { title, says, action, done } = wordsFor(doing);
  const onSuccess = () => {
    void queries.invalidateQueries({ queryKey: trpc.members.pathKey() });
    notifications.show({ message: done });
    onClose();
  };
  const remove = useMutation(trpc.members.remove.mutationOptions({ onSuccess }));
  const transfer = useMutation(trpc.members.transferOwnership.mutationOptions({ onSuccess }));
  const [revokeKeys, setRevokeKeys] = useState(true);
  const role = useMutation(trpc.members.changeRole.mutationOptions({ onSuccess }));
  const reset = useMutation(trpc.members.createPasswordReset.mutationOptions());
  const running = { remove, transfer, role, reset }[doing.what];
  const keys = doing.what === "remove" ? doing.member.activeKeyCount : 0;
  const act = () => {
    switch (doing.what) {
      case "role":
        return role.mutate({ projectId, userId, role: doing.role });
      case "remove":
        return remove.mutate({ projectId, userId, revokeKeys: keys > 0 && revokeKeys });
      default:
        return { transfer, reset }[doing.what].mutate({ projectId, userId });
    }
  };
  const close = () => {
    running.reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} closeOnClickOutside={!reset.data} closeOnEscape={!reset.data}>
      {reset.data?.token === null ? (
        <Stack gap="md">
          <Text size="sm">
            The link was e-mailed to {reset.data.mailedTo}. It is not shown here, because their password also gives
            access to projects that are not yours. It works once, within a day.
          </Text>
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      ) : reset.data ? (
        <LinkOnce page="reset" token={reset.data.token} onDone={close}>
          {reset.data.mailedTo === null
            ? `Send this link to ${nameOf(doing.member)}. It works once, within a day. You won’t see this again.`
            : `The link was e-mailed to ${reset.data.mailedTo}. You can also share it yourself: it works once, within a day. You won’t see this again.`}
        </LinkOnce>
      ) : (
        <Stack gap="md">
          <Text size="sm">{says}</Text>
          {keys > 0 ? (
            <Checkbox
              size="sm"
              label={`Revoke the ${plural(keys, "API key")} they created here`}
              description="The person who created a key may still know it. Keys and invitations created with it are revoked too."
              checked={revokeKeys}
              onChange={(event) => setRevokeKeys(event.currentTarget.checked)}
            />
          ) : null}
          <Refused error={running.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              Cancel
            </Button>
            <Button {...(doing.what === "remove" ? { color: "red" } : {})} loading={running.isPending} onClick={act}>
              {action}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
