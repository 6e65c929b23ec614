"use client";
import { NativeSelect } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { ROLES, type Role } from "@/server/platform/capabilities";
import type { Member } from "@/server/services/members/schemas";
import { ROLE_WORDS } from "../../_components/access/role-words";

type Props = {
  member: Member;
  /** The role being saved. */
  becoming: Role | null;
  onChoose: (role: Role) => void;
};

export function RoleSelect({ member, becoming, onChoose }: Props) {
  // A choice made before the script runs would be lost.
  const ready = useMounted();
  return (
    <NativeSelect
      w={120}
      aria-label={`Role of ${member.email}`}
      value={becoming ?? member.role}
      disabled={!ready || becoming !== null}
      data={ROLES.map((value) => ({ value, label: ROLE_WORDS[value].label }))}
      onChange={(event) => {
        const role = ROLES.find((one) => one === event.currentTarget.value);
        if (role) onChoose(role);
      }}
    />
  );
}
