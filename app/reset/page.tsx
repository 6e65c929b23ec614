import type { Metadata } from "next";
import { EntryCard } from "@/app/_components/entry-card";
import { api } from "@/app/_lib/trpc-server";
import { ResetForm } from "./_components/reset-form";

export const metadata: Metadata = { title: "New password", referrer: "no-referrer" };

export default async function ResetPage({ searchParams }: { searchParams: Promise<{ token?: string | string[] }> }) {
  const { token } = await searchParams;
  const usable = typeof token === "string" && token !== "" && token.length <= 200;
  const email = usable ? (await (await api()).links.passwordReset({ token })).email : null;
  if (!usable || email === null) {
    return (
      <EntryCard title="This link opens nothing">
        It was used already, has expired, was replaced by a newer one, or is not whole. Ask an owner for a new one.
      </EntryCard>
    );
  }
  return (
    <EntryCard title="Set a new password">
      <ResetForm token={token} email={email} />
    </EntryCard>
  );
}
