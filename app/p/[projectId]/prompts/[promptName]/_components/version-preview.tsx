"use client";
import { Button, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { filledPrompt, type PromptContent } from "@/server/services/prompts/schemas";
import { PromptContentView } from "./prompt-content";

type Props = { content: PromptContent; variables: readonly string[] };

/** A version filled in with values to try; variables without one stay as they are. */
export function VersionPreview({ content, variables }: Props) {
  const [open, setOpen] = useState(false);
  const [values, setValues] = useState<Record<string, string>>({});
  if (variables.length === 0) return null;
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
  return (
    <Stack gap="xs">
      <div>
        <Button size="compact-sm" variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Close the preview" : "Preview with values"}
        </Button>
      </div>
      {open ? (
        <>
          {variables.map((name) => (
            <TextInput
              key={name}
              size="xs"
              label={name}
              value={values[name] ?? ""}
              onChange={({ currentTarget: { value } }) => setValues((before) => ({ ...before, [name]: value }))}
            />
          ))}
          <section aria-label="Preview">
            <PromptContentView content={filledPrompt(content, given)} />
          </section>
        </>
      ) : null}
    </Stack>
  );
}
