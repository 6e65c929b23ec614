"use client";
import { Alert, Checkbox, NativeSelect, Text, TextInput } from "@mantine/core";
import Link from "next/link";
import { pageHref } from "../shell/pages";
import { useModelHubs } from "./use-model-hubs";

export type Destination = { connectionId: string; repoId: string; private: boolean };
type Props = {
  projectId: string;
  value: Destination;
  onChange: (change: Partial<Destination>) => void;
  /** The server's errors for the fields. */
  problems?: { connectionId?: string | null; repoId?: string | null };
};

/** Where a model is published: through which connection, in which repository, and who sees it. */
export function DestinationFields({ projectId, value, onChange, problems = {} }: Props) {
  const { hubs, isPending } = useModelHubs(projectId);
  const toConnections = <Link href={pageHref(projectId, "integrations")}>Integrations</Link>;
  return (
    <>
      {!isPending && hubs.length === 0 ? (
        <Alert color="orange" p="xs">
          No hub is connected yet. Add a connection of the kind “Model hub” under {toConnections} first.
        </Alert>
      ) : (
        <NativeSelect
          size="sm"
          label="Hub"
          required
          description={<>Connections of the kind “Model hub”, from {toConnections}.</>}
          value={value.connectionId}
          error={problems.connectionId ?? null}
          onChange={(event) => onChange({ connectionId: event.currentTarget.value })}
          data={[{ value: "", label: "Choose a hub" }, ...hubs.map(({ id, name }) => ({ value: id, label: name }))]}
        />
      )}
      <TextInput
        label="Repository"
        required
        description="Created if it doesn’t exist."
        placeholder="acme/support-7b"
        maxLength={192}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={value.repoId}
        error={problems.repoId ?? null}
        onChange={(event) => onChange({ repoId: event.currentTarget.value })}
      />
      <Checkbox
        label="Private"
        description="Visible only to its owner and their members. An existing repository keeps its visibility."
        checked={value.private}
        onChange={(event) => onChange({ private: event.currentTarget.checked })}
      />
      {value.private ? null : (
        <Text size="xs" c="dimmed">
          Anyone can download a public model, including what it learned from your Examples.
        </Text>
      )}
    </>
  );
}
