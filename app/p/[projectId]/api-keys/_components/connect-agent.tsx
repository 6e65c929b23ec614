"use client";
import { Button, Code, Modal, Stack, Tabs, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconRobot } from "@tabler/icons-react";
import { Snippet } from "@/app/_components/values/snippet";
import { AGENTS } from "./agents";

/** Shows how a coding agent reads the project's Findings and conversations with a key. */
export function ConnectAgent() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open} leftSection={<IconRobot size={14} aria-hidden />}>
        Connect a coding agent
      </Button>
      <Modal opened={opened} onClose={close} title="Connect a coding agent" size="lg">
        {opened ? <Connections url={`${window.location.origin}/mcp`} /> : null}
      </Modal>
    </>
  );
}

const Connections = ({ url }: { url: string }) => (
  <Stack gap="md">
    <Text size="sm">
      Agents call Whetstone’s tools over MCP with a key, and may do what the key may: a read-only key finds and reads,
      one with more permissions also triages, adds to Datasets, and starts backfills and proofs. The lines take the key
      from the variable <Code>WHETSTONE_KEY</Code>; VS Code asks for it.
    </Text>
    <Tabs defaultValue={AGENTS[0].name} keepMounted={false}>
      <Tabs.List>
        {AGENTS.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {AGENTS.map(({ name, where, snippet }) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          <Stack gap="xs">
            <Text size="sm">{where}</Text>
            <Snippet name={name} text={snippet(url)} />
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  </Stack>
);
