import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { EntryCard } from "@/app/_components/entry-card";
import { safeNext } from "@/app/_lib/safe-next";
import { api } from "@/app/_lib/trpc-server";
import { currentSession } from "@/server/auth/session";
import { SignInForm } from "./_components/sign-in-form";

export const metadata: Metadata = { title: "Sign in" };

export default async function SignInPage({ searchParams }: { searchParams: Promise<{ next?: string | string[] }> }) {
  const { next } = await searchParams;
  const goal = safeNext(Array.isArray(next) ? next[0] : next);
  if (await currentSession()) redirect(goal);
  const trpc = await api();
  const [{ needed }, ways] = await Promise.all([trpc.setup.status(), trpc.signIn.ways()]);
  if (needed) redirect("/");
  return (
    <EntryCard title="Sign in">
      <SignInForm next={goal} ways={ways} />
    </EntryCard>
  );
}
