"use client";
import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Draft } from "./draft";
import { defaultWords, problemWith, readValue, type SettingField, shownValue } from "./setting-fields";

type Props = {
  field: SettingField;
  of: Pick<Draft, "method" | "adapter">;
  value: unknown;
  onChange: (value: unknown) => void;
};

/** A setting with its default as the placeholder: an empty field leaves it to the trainer. */
export function SettingInput({ field, of, value, onChange }: Props) {
  const shown = shownValue(field, value);
  // What has been typed may not be a value yet, such as `2e-`.
  const [text, setText] = useState<string | null>(null);
  const byDefault = defaultWords(field, of);
  const common = { size: "sm", label: field.label, description: field.description } as const;
  if (field.kind === "choice" || field.kind === "yesno") {
    const choices = field.choices ?? [
      { value: "yes", label: "Yes" },
      { value: "no", label: "No" },
    ];
    return (
      <NativeSelect
        {...common}
        value={shown}
        onChange={(event) => onChange(readValue(field, event.currentTarget.value))}
        data={[{ value: "", label: `Default: ${byDefault}` }, ...choices]}
      />
    );
  }
  return (
    <TextInput
      {...common}
      inputMode={field.kind === "name" ? "text" : "decimal"}
      placeholder={byDefault}
      maxLength={field.kind === "name" ? 64 : 20}
      value={text ?? shown}
      error={text === null ? null : problemWith(field, text)}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        if (problemWith(field, currentTarget.value) === null) onChange(readValue(field, currentTarget.value));
      }}
    />
  );
}
