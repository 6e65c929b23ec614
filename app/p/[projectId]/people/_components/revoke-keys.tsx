"use client";
import { Checkbox } from "@mantine/core";
import { plural } from "@/app/_lib/format";

type Props = {
  /** The person's keys that are still active. */
  count: number;
  checked: boolean;
  onChange: (checked: boolean) => void;
};

/** Offers to revoke a person's keys; renders nothing if there are none. */
export const RevokeKeys = ({ count, checked, onChange }: Props) =>
  count > 0 ? (
    <Checkbox
      size="sm"
      label={`Revoke the ${plural(count, "API key")} they created`}
      description="The person who created a key may still know it. Keys belong to projects and keep working otherwise."
      checked={checked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  ) : null;
