"use client";
import { DataList, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { CopyButton } from "@/app/_components/controls/copy-button";
import { ScrollPre } from "@/app/_components/layout/scroll-pre";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import type { Deployment } from "@/server/services/serving/deployments/schemas";
import { useMay } from "../../../_components/access/membership";
import { pageHref } from "../../../_components/shell/pages";
import classes from "./deployment-page.module.css";
import { LANGUAGE_WORDS, snippetOf } from "./snippets";
import { LANGUAGES, viewParsers } from "./view";

/** The URLs of a deployment, and how to call it from code. */
export function Endpoint({ projectId, deployment }: { projectId: string; deployment: Deployment }) {
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const mayKeys = useMay("project:admin");
  const { endpoint, nameEndpoint, model } = deployment;
  if (endpoint === null) {
    return (
      <Text size="sm" c="dimmed">
        Available once it is running.
      </Text>
    );
  }
  const base = nameEndpoint ?? endpoint;
  const snippet = snippetOf[view.language](base, model);
  return (
    <Stack gap="sm">
      <DataList size="sm" gap={6} labelWidth={130}>
        <Fact label="Base URL">
          <Address url={base} what="base URL" />
        </Fact>
        {nameEndpoint === null ? null : (
          <Fact label="This version">
            <Address url={endpoint} what="base URL of this version" />
          </Fact>
        )}
        <Fact label="Model">
          <IdText id={model} what="model" />
        </Fact>
        <Fact label="Key">
          {mayKeys ? <Link href={pageHref(projectId, "api-keys")}>An API key</Link> : "An API key"} of the project that
          can send telemetry and read
        </Fact>
      </DataList>
      <SegmentedControl
        aria-label="Language"
        value={view.language}
        onChange={(value) => void setView({ language: LANGUAGES.find((one) => one === value) ?? null })}
        data={LANGUAGES.map((value) => ({ value, label: LANGUAGE_WORDS[value] }))}
        style={{ alignSelf: "flex-start" }}
      />
      <div className={classes.copied}>
        <ScrollPre label={`Call from ${LANGUAGE_WORDS[view.language]}`} className={classes.snippet}>
          {snippet}
        </ScrollPre>
        <CopyButton value={snippet} label={`Copy ${LANGUAGE_WORDS[view.language]}`} />
      </div>
      <Text size="xs" c="dimmed">
        The base URL stays the same for the next version under this name. Tools, tool calls and JSON schemas work as in
        OpenAI’s chat completions, streamed or not, so an agent moves here by changing base URL, key and model. Calls
        are recorded as conversations of this project; send <span className="mono">metadata.conversation_id</span> to
        group the turns of one conversation.
      </Text>
    </Stack>
  );
}

/** Shown in full, because URLs differ at their end. */
const Address = ({ url, what }: { url: string; what: string }) => (
  <Group gap={2} wrap="nowrap" align="flex-start">
    <span className="mono" style={{ overflowWrap: "anywhere" }}>
      {url}
    </span>
    <CopyButton value={url} label={`Copy ${what}`} />
  </Group>
);
