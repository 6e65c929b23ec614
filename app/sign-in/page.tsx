import { Alert, Divider, Stack } from "@mantine/core";
import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { EntryCard } from "@/app/_components/entry/entry-card";
import { ProviderButton } from "@/app/_components/entry/provider-button";
import { pathOf, safeNext } from "@/app/_lib/safe-next";
import { api } from "@/app/_lib/trpc/server";
import { currentSession } from "@/server/auth/current-session";
import { SignInForm } from "./_components/sign-in-form";
import { signInProblem } from "./_components/sign-in-problem";

export const metadata: Metadata = { title: "Sign in" };

/** `callbackUrl` and `error` are set by next-auth, which redirects here when sign-in at the provider has failed. */
type Search = Partial<Record<"next" | "callbackUrl" | "error", string | string[]>>;
const one = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

export default async function SignInPage({ searchParams }: { searchParams: Promise<Search> }) {
  const { next, callbackUrl, error } = await searchParams;
  const goal = safeNext(one(next) ?? pathOf(one(callbackUrl)));
  if (await currentSession()) redirect(goal);
  const trpc = await api();
  const [{ needed }, { password, provider, mail }] = await Promise.all([trpc.setup.status(), trpc.signIn.ways()]);
  if (needed) redirect("/");
  const problem = signInProblem(one(error), provider?.name ?? "the provider");
  return (
    <EntryCard title="Sign in">
      <Stack gap="sm">
        {problem ? (
          <Alert role="alert" color="red" p="xs">
            {problem}
          </Alert>
        ) : null}
        {provider ? (
          <ProviderButton name={provider.name} next={goal} variant={password ? "default" : "filled"} />
        ) : null}
        {provider && password ? <Divider label="or" /> : null}
        {password ? <SignInForm next={goal} canReset={mail} /> : null}
      </Stack>
    </EntryCard>
  );
}
