import { Anchor } from "@mantine/core";
import { EntryCard } from "./_components/entry/entry-card";

export default function NotFound() {
  return (
    <EntryCard title="Not here">
      There is no such page, or it belongs to a project that is not yours.{" "}
      <Anchor href="/" underline="always">
        Go to the workbench
      </Anchor>
      .
    </EntryCard>
  );
}
