"use client";
import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc";
import type { Member } from "@/server/services/members/schemas";
import { LinkOnce } from "./link-once";

export type Doing = "remove" | "transfer" | "reset";
type Props = { projectId: string; doing: { what: Doing; member: Member } | null; onClose: () => void };

const WORDS: Record<Doing, { title: (who: string) => string; says: string; action: string; done: string }> = {
  remove: {
    title: (who) => `Remove ${who}?`,
    says: "They lose this project with their next request, on every page and program of theirs. Invitations and password links that they made stop working. API keys are the project's and stay: revoke those that they know.",
    action: "Remove",
    done: "is no longer a member.",
  },
  transfer: {
    title: (who) => `Hand the project over to ${who}?`,
    says: "They become an owner and you become a manager, in one step. Invitations and password links that you made stop working. Only an owner can give it back.",
    action: "Hand over",
    done: "owns the project now.",
  },
  reset: {
    title: (who) => `A password link for ${who}?`,
    says: "With it they set a new password, once, within a day; every browser of theirs is then signed out. Whoever has the link can use it: hand it to nobody else.",
    action: "Make the link",
    done: "",
  },
};

/** What cannot be taken back is said first. */
export function ConfirmMember({ projectId, doing, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const member = doing?.member;
  const words = WORDS[doing?.what ?? "remove"];
  const who = member?.name ?? member?.email ?? "";
  const settled = () => {
    void queries.invalidateQueries({ queryKey: trpc.members.pathKey() });
    notifications.show({ message: `${who} ${words.done}` });
    onClose();
  };
  const remove = useMutation(trpc.members.remove.mutationOptions({ onSuccess: settled }));
  const transfer = useMutation(trpc.members.transferOwnership.mutationOptions({ onSuccess: settled }));
  const reset = useMutation(trpc.members.createPasswordReset.mutationOptions());
  const running = { remove, transfer, reset }[doing?.what ?? "remove"];
  const close = () => {
    for (const one of [remove, transfer, reset]) one.reset();
    onClose();
  };
  return (
    <Modal
      opened={doing !== null}
      onClose={close}
      title={words.title(who)}
      closeOnClickOutside={!reset.data}
      closeOnEscape={!reset.data}
    >
      {reset.data ? (
        <LinkOnce page="reset" token={reset.data.token} onDone={close}>
          {reset.data.mailedTo === null
            ? `Hand this link to ${who}. It works once, within a day, and is shown only now.`
            : `It is mailed to ${reset.data.mailedTo}. You can also hand this link over yourself: it works once, within a day, and is shown only now.`}
        </LinkOnce>
      ) : (
        <Stack gap="md">
          <Text size="sm">{words.says}</Text>
          {running.error ? (
            <Alert role="alert" color="red" p="xs">
              {problemOf(running.error).detail}
            </Alert>
          ) : null}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              Cancel
            </Button>
            <Button
              {...(doing?.what === "remove" ? { color: "red" } : {})}
              loading={running.isPending}
              onClick={() => member && running.mutate({ projectId, userId: member.userId })}
            >
              {words.action}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
