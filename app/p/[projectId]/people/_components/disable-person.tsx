"use client";
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Person } from "@/server/services/people/schemas";
import { RevokeKeys } from "./revoke-keys";
import { nameOf, useDone } from "./use-people";

/** Asks before signing somebody out everywhere, and offers to revoke their keys. */
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
    <Modal opened onClose={onClose} title={`Disable ${nameOf(person)}?`}>
      <Stack gap="md">
        <Text size="sm">
          They are signed out everywhere at once and cannot sign in by any way. Links that they made stop working; what
          they did stays. You can enable them again.
        </Text>
        {owned.length > 0 ? (
          <Text size="sm">Nobody else owns {owned.map(({ name }) => `“${name}”`).join(", ")}.</Text>
        ) : null}
        <RevokeKeys count={impact?.activeKeyCount ?? 0} checked={revokeKeys} onChange={setRevokeKeys} />
        <Refused error={disable.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button
            color="red"
            disabled={!impact}
            loading={disable.isPending}
            onClick={() => disable.mutate({ userId: person.id, revokeKeys })}
          >
            Disable
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
