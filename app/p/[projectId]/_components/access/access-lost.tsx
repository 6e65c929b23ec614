"use client";
import { Anchor, Button } from "@mantine/core";
import { usePathname } from "next/navigation";
import { EntryCard } from "@/app/_components/entry/entry-card";

/** Replaces the page of a reader who was removed while it was open. */
export function AccessLost({ name = "this project" }: { name?: string | undefined }) {
  return (
    <EntryCard title={`You are no longer in ${name}`}>
      <div role="alert">
        You were removed, you left, or the project was deleted, so this page no longer shows its data. An owner can
        invite you again. <Anchor href="/">Go to the workbench</Anchor>.
      </div>
    </EntryCard>
  );
}

/** Replaces the page of a reader whose session was ended elsewhere or has expired. */
export function SignedOut() {
  const path = usePathname();
  return (
    <EntryCard title="You are signed out">
      <p role="alert">Your session in this browser was ended or has expired.</p>
      <Button component="a" href={`/sign-in?next=${encodeURIComponent(path)}`}>
        Sign in
      </Button>
    </EntryCard>
  );
}
