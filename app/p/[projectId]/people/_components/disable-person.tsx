"use client";
import { Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Person } from "@/server/services/people/schemas";
import { ConfirmDialog } from "../../_components/confirm/confirm-dialog";
import { RevokeKeys } from "./revoke-keys";
import { nameOf, useDone } from "./use-people";

/** Asks before signing a person out everywhere, and offers to revoke their keys. */
export function DisablePerson({ person, onClose }: { person: Person; onClose: () => void }) {
  const trpc = useTRPC();
  const done = useDone();
  const [revokeKeys, setRevokeKeys] = useState(true);
  const impact = useQuery(trpc.people.get.queryOptions({ userId: person.id })).data?.impact;
  const disable = useMutation(
    trpc.people.disable.mutationOptions({
      onSuccess: () => {
        done(`${nameOf(person)} is disabled.`);
        onClose();
      },
    }),
  );
  const owned = impact?.soleOwnerOf ?? [];
  return (
    <ConfirmDialog
      subject={person}
      onClose={onClose}
      title={(one) => `Disable ${nameOf(one)}?`}
      says={() =>
        "They are signed out everywhere immediately and can no longer sign in. Links they created stop working; their projects and data stay. You can enable them again."
      }
      action="Disable"
      ready={impact !== undefined}
      running={disable}
      onConfirm={({ id }) => disable.mutate({ userId: id, revokeKeys })}
    >
      {owned.length > 0 ? (
        <Text size="sm">Nobody else owns {owned.map(({ name }) => `“${name}”`).join(", ")}.</Text>
      ) : null}
      <RevokeKeys count={impact?.activeKeyCount ?? 0} checked={revokeKeys} onChange={setRevokeKeys} />
    </ConfirmDialog>
  );
}
