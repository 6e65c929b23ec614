"use client";
import { Checkbox } from "@mantine/core";
import { plural } from "@/app/_lib/format";

type Props = {
  /** Keys that they made and that still open something. */
  count: number;
  checked: boolean;
  onChange: (checked: boolean) => void;
};

/** The offer to end the keys that somebody made; nothing where there are none. */
export const RevokeKeys = ({ count, checked, onChange }: Props) =>
  count > 0 ? (
    <Checkbox
      size="sm"
      label={`Revoke the ${plural(count, "API key")} that they made`}
      description="Whoever made a key may know it. Keys belong to projects and work on otherwise."
      checked={checked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  ) : null;
