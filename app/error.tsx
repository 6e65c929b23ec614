"use client";
import { Button } from "@mantine/core";
import { EntryCard } from "./_components/entry/entry-card";
import { FailingParts } from "./_components/feedback/failing-parts";

export default function RootError({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  return (
    <EntryCard title="Something went wrong">
      <p>
        The page could not be rendered. See the server log
        {error.digest ? (
          <>
            {" "}
            for <span className="mono">{error.digest}</span>
          </>
        ) : null}
        .
      </p>
      <FailingParts onRecovered={retry} />
      <Button onClick={retry}>Try again</Button>
    </EntryCard>
  );
}
