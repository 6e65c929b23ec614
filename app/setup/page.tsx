import { Anchor } from "@mantine/core";
import type { Metadata } from "next";
import { EntryCard } from "@/app/_components/entry/entry-card";
import { api } from "@/app/_lib/trpc/server";
import { Setup } from "./_components/setup";

export const metadata: Metadata = { title: "Set up" };

export default async function SetupPage() {
  const trpc = await api();
  const [{ needed }, ways] = await Promise.all([trpc.setup.status(), trpc.signIn.ways()]);
  if (needed) return <Setup ways={ways} />;
  return (
    <EntryCard title="Whetstone is already set up">
      The setup link worked once, for the first person.{" "}
      <Anchor href="/sign-in" underline="always">
        Sign in
      </Anchor>
      , or ask an owner for an account.
    </EntryCard>
  );
}
