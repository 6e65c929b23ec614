"use client";
import { Code, Stack, Text } from "@mantine/core";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { Snippet } from "@/app/_components/values/snippet";
import { DEFAULT_LABEL } from "@/server/services/prompts/schemas";
import { curlSnippet, fetchSnippet } from "./snippet";
import type { Prompt } from "./view";

/** How an application reads the prompt, and how it says so on its spans. */
export function ReadIt({ url, prompt }: { url: string; prompt: Prompt }) {
  const hasDefault = prompt.labels.some(({ label }) => label === DEFAULT_LABEL);
  const label = hasDefault ? DEFAULT_LABEL : (prompt.labels[0]?.label ?? "latest");
  return (
    <PageBody>
      <PageSection title="With curl">
        <Stack gap="xs">
          <Text size="sm">
            The key needs the capability <Code>workspace:read</Code>. A label that was removed is “not found”; without{" "}
            <Code>?label=</Code> a client gets {DEFAULT_LABEL}, or else the newest version.
          </Text>
          <Snippet name="curl" text={curlSnippet(url, label)} />
        </Stack>
      </PageSection>
      <PageSection title="In a program, cached for a minute">
        <Stack gap="xs">
          <Text size="sm">
            With the ETag, an unchanged prompt is not sent again. The span’s <Code>gen_ai.prompt.name</Code> and{" "}
            <Code>gen_ai.prompt.version</Code> bring its calls to this page.
          </Text>
          <Snippet name="program" text={fetchSnippet(url, label)} />
        </Stack>
      </PageSection>
    </PageBody>
  );
}
