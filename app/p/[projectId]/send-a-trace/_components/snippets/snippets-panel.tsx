"use client";
import { Alert, Button, Group, Tabs, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useEffect, useState } from "react";
import { CopyButton } from "@/app/_components/controls/copy-button";
import { ScrollPre } from "@/app/_components/layout/scroll-pre";
import { problemOf } from "@/app/_lib/problem";
import { storedKey, storeKey } from "@/app/_lib/stored-key";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../../../_components/access/membership";
import classes from "../send-a-trace.module.css";
import { NO_KEY, SNIPPETS, snippet } from "./snippets";

const VALUES = SNIPPETS.map(({ value }) => value);

/** Programs to copy with a key filled in: the one created with the project, or one created here that can only send. */
export function Snippets({ projectId, endpoint }: { projectId: string; endpoint: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [name, setName] = useQueryState("language", parseAsStringLiteral(VALUES).withDefault("openai-python"));
  const [key, setKey] = useState<string | null>(null);
  const mayCreate = useMay("project:admin");
  useEffect(() => setKey(storedKey(projectId)), [projectId]);
  const create = useMutation(
    trpc.apiKeys.create.mutationOptions({
      onSuccess: ({ secret }) => {
        storeKey(projectId, secret);
        setKey(secret);
        void queries.invalidateQueries({ queryKey: trpc.apiKeys.pathKey() });
      },
    }),
  );
  const text = snippet(name, { endpoint, key: key ?? NO_KEY });
  return (
    <section aria-label="Snippets">
      {key === null && !mayCreate ? (
        <Text className={classes.key} size="sm">
          Replace <span className="mono">{NO_KEY}</span> with a key. An owner can create a send-only one for you.
        </Text>
      ) : key === null ? (
        <Group className={classes.key} wrap="nowrap">
          <Text size="sm">A key’s secret is shown only once. Create a send-only key, and it is filled in below.</Text>
          <Button
            leftSection={<IconKey size={14} aria-hidden />}
            loading={create.isPending}
            style={{ flex: "none" }}
            onClick={() => create.mutate({ projectId, name: "First trace", capabilities: ["telemetry:write"] })}
          >
            Create a key
          </Button>
        </Group>
      ) : (
        <Text className={classes.key} size="sm">
          Your key is in the snippet. It is kept only in this tab: copy it before you close the tab.
        </Text>
      )}
      {create.error ? (
        <Alert role="alert" color="red" p="xs" mb="sm">
          {problemOf(create.error).detail}
        </Alert>
      ) : null}
      <Tabs
        value={name}
        onChange={(value) => void setName(VALUES.find((known) => known === value) ?? "openai-python")}
        keepMounted={false}
      >
        <Tabs.List>
          {SNIPPETS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={name}>
          <div className={classes.snippet}>
            <ScrollPre label="Snippet" testId="snippet">
              {text}
            </ScrollPre>
            <div className={classes.copy}>
              <CopyButton value={text} label="Copy" withText />
            </div>
          </div>
        </Tabs.Panel>
      </Tabs>
    </section>
  );
}
