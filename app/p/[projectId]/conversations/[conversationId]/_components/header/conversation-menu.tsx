"use client";
import { ActionIcon, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDots, IconTrash, IconUserX } from "@tabler/icons-react";
import Link from "next/link";
import { userHref } from "../../../../data/_components/view";
import type { ConversationData } from "../transcript/transcript";
import { DeleteConversation } from "./delete-conversation";

type Props = { projectId: string; back: string; conversation: ConversationData };

/** An owner's actions on a conversation. */
export function ConversationMenu({ projectId, back, conversation }: Props) {
  const [deleting, remove] = useDisclosure(false);
  const { userId } = conversation;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="More actions">
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item color="red" leftSection={<IconTrash size={14} aria-hidden />} onClick={remove.open}>
            Delete conversation…
          </Menu.Item>
          {userId === null ? null : (
            <Menu.Item
              component={Link}
              href={userHref(projectId, userId)}
              leftSection={<IconUserX size={14} aria-hidden />}
            >
              Delete this user’s data…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <DeleteConversation
        projectId={projectId}
        conversationId={conversation.id}
        back={back}
        opened={deleting}
        onClose={remove.close}
      />
    </>
  );
}
