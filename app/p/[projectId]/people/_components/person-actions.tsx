"use client";
import { ActionIcon, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDots } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Person } from "@/server/services/people/schemas";
import { nameOf, useDone } from "./use-people";

export type Doing = { what: "disable" | "erase"; person: Person };
type Props = { person: Person; isMe: boolean; onChoose: (doing: Doing) => void };

/** An installation owner's actions on a person. Irreversible ones ask for confirmation. */
export function PersonActions({ person, isMe, onChoose }: Props) {
  const trpc = useTRPC();
  const done = useDone();
  const who = nameOf(person);
  const { id: userId, installationOwner, mayCreateProjects } = person;
  const onError = (error: unknown) => notifications.show({ color: "red", message: problemOf(error).detail });
  const rights = useMutation(trpc.people.changeRights.mutationOptions({ onError }));
  const enable = useMutation(trpc.people.enable.mutationOptions({ onError }));
  const change = (wanted: { installationOwner?: boolean; mayCreateProjects?: boolean }, said: string) =>
    rights.mutate({ userId, ...wanted }, { onSuccess: () => done(said) });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" aria-label={`Actions for ${person.email}`}>
          <IconDots size={14} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {installationOwner ? null : mayCreateProjects ? (
          <Menu.Item onClick={() => change({ mayCreateProjects: false }, `${who} can no longer create projects.`)}>
            Revoke project creation
          </Menu.Item>
        ) : (
          <Menu.Item onClick={() => change({ mayCreateProjects: true }, `${who} can create projects.`)}>
            Allow project creation
          </Menu.Item>
        )}
        {installationOwner ? (
          <Menu.Item
            onClick={() => change({ installationOwner: false }, `${who} is no longer an owner of the installation.`)}
          >
            Remove as owner of the installation
          </Menu.Item>
        ) : (
          <Menu.Item onClick={() => change({ installationOwner: true }, `${who} is an owner of the installation.`)}>
            Make an owner of the installation
          </Menu.Item>
        )}
        {isMe ? null : (
          <>
            <Menu.Divider />
            {person.disabledAt === null ? (
              <Menu.Item onClick={() => onChoose({ what: "disable", person })}>Disable…</Menu.Item>
            ) : (
              <Menu.Item
                onClick={() => enable.mutate({ userId }, { onSuccess: () => done(`${who} can sign in again.`) })}
              >
                Enable
              </Menu.Item>
            )}
            <Menu.Item color="red" onClick={() => onChoose({ what: "erase", person })}>
              Erase…
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
