"use client";
import { Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { problemOf } from "@/app/_lib/problem";

/** As long as the longest that the server takes. */
const NAME_MAX = 120;

type Props = {
  label: string;
  /** As it is by now. */
  value: string;
  /** What the button says. */
  action: string;
  /** Whether it can do without a name. */
  optional?: boolean;
  autoComplete?: string;
  /** Saves, and calls `done` when that worked. */
  onSave: (name: string, done: () => void) => void;
  saving: boolean;
  error: unknown;
};

/** One name that can be changed, of a person or of a thing. */
export function NameForm({ label, value, action, optional = false, ...rest }: Props) {
  const { autoComplete = "off", onSave, saving, error } = rest;
  const [edited, setEdited] = useState<string | null>(null);
  const name = edited ?? value;
  const unfit = name.trim() === value || (!optional && name.trim() === "");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave(name.trim(), () => setEdited(null));
      }}
    >
      <Group align="flex-end" gap="xs">
        <TextInput
          label={label}
          w={320}
          maxLength={NAME_MAX}
          autoComplete={autoComplete}
          value={name}
          onChange={(event) => setEdited(event.currentTarget.value)}
          error={error ? problemOf(error).detail : undefined}
        />
        <Button type="submit" size="sm" variant="default" loading={saving} disabled={unfit}>
          {action}
        </Button>
      </Group>
    </form>
  );
}
