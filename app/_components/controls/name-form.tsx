"use client";
import { Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { problemOf } from "@/app/_lib/problem";

/** The server's maximum length. */
const NAME_MAX = 120;

type Props = {
  label: string;
  /** The current name. */
  value: string;
  /** The button's label. */
  action: string;
  /** Whether the name may be empty. */
  optional?: boolean;
  autoComplete?: string;
  /** Saves the name, and calls `done` on success. */
  onSave: (name: string, done: () => void) => void;
  saving: boolean;
  error: unknown;
};

/** A form that renames a person or a thing. */
export function NameForm({ label, value, action, optional = false, ...rest }: Props) {
  const { autoComplete = "off", onSave, saving, error } = rest;
  const [edited, setEdited] = useState<string | null>(null);
  const name = edited ?? value;
  const invalid = name.trim() === value || (!optional && name.trim() === "");
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
        <Button type="submit" size="sm" variant="default" loading={saving} disabled={invalid}>
          {action}
        </Button>
      </Group>
    </form>
  );
}
