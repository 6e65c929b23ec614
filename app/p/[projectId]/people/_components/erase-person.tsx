"use client";
import { Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Person } from "@/server/services/people/schemas";
import { TypeToConfirm } from "../../_components/confirm/type-to-confirm";
import { HandOver } from "./hand-over";
import { RevokeKeys } from "./revoke-keys";
import { nameOf, useDone } from "./use-people";

/** Shows what is erased with a person and what stays; the reader must type the e-mail address first. */
export function ErasePerson({ person, onClose }: { person: Person; onClose: () => void }) {
  const trpc = useTRPC();
  const done = useDone();
  const [revokeKeys, setRevokeKeys] = useState(true);
  const impact = useQuery(trpc.people.get.queryOptions({ userId: person.id })).data?.impact;
  const erase = useMutation(
    trpc.people.erase.mutationOptions({
      onSuccess: () => {
        done(`${nameOf(person)} is erased.`);
        onClose();
      },
    }),
  );
  const owned = impact?.soleOwnerOf ?? [];
  return (
    <TypeToConfirm
      opened
      onClose={onClose}
      title={`Erase ${nameOf(person)}?`}
      phrase={person.email}
      action="Erase permanently"
      ready={impact !== undefined && owned.length === 0}
      running={erase.isPending}
      error={erase.error}
      onConfirm={() => erase.mutate({ userId: person.id, email: person.email, revokeKeys })}
    >
      <Stack gap="sm">
        <Text size="sm">
          Deleted: the account, {plural(person.projectCount, "membership")}, {plural(impact?.sessions ?? 0, "session")},
          all sign-in methods, and the address, name and networks in audit logs.
        </Text>
        <Text size="sm">
          Kept: what they did, in the audit logs, under{" "}
          <span className="mono" style={{ wordBreak: "break-all" }}>
            {person.id}
          </span>
          ; existing backups. This can’t be undone.
        </Text>
        {owned.map((project) => (
          <HandOver key={project.id} person={person} project={project} />
        ))}
        <RevokeKeys count={impact?.activeKeyCount ?? 0} checked={revokeKeys} onChange={setRevokeKeys} />
      </Stack>
    </TypeToConfirm>
  );
}
