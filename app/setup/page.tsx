import { Anchor } from "@mantine/core";
import type { Metadata } from "next";
import { EntryCard } from "@/app/_components/entry-card";
import { api } from "@/app/_lib/trpc-server";
import { SetupForm } from "./_components/setup-form";

export const metadata: Metadata = { title: "Set up", referrer: "no-referrer" };

export default async function SetupPage({ searchParams }: { searchParams: Promise<{ token?: string | string[] }> }) {
  const { token } = await searchParams;
  const { needed } = await (await api()).setup.status();
  if (!needed) {
    return (
      <EntryCard title="This is set up already">
        The link worked once, for the first person. <Anchor href="/sign-in">Sign in</Anchor>, or ask an owner for an
        account.
      </EntryCard>
    );
  }
  if (typeof token !== "string" || token === "") {
    return (
      <EntryCard title="Open the whole link">
        The set-up link that was printed in the terminal ends with <span className="mono">?token=…</span>. Copy all of
        it, or restart the server to see a new one.
      </EntryCard>
    );
  }
  return (
    <EntryCard title="Set up Whetstone">
      <SetupForm token={token} />
    </EntryCard>
  );
}
