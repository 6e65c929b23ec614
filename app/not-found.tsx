import { Anchor } from "@mantine/core";
import { EntryCard } from "./_components/entry/entry-card";

export default function NotFound() {
  return (
    <EntryCard title="Page not found">
      This page doesn’t exist, or it belongs to a project you’re not a member of.{" "}
      <Anchor href="/" underline="always">
        Go to the workbench
      </Anchor>
      .
    </EntryCard>
  );
}
