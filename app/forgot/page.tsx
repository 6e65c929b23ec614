import { Anchor } from "@mantine/core";
import type { Metadata } from "next";
import { EntryCard } from "@/app/_components/entry/entry-card";
import { api } from "@/app/_lib/trpc/server";
import { ForgotForm } from "./_components/forgot-form";

export const metadata: Metadata = { title: "Forgot your password?" };

export default async function ForgotPage() {
  const { mail, password, provider } = await (await api()).signIn.ways();
  if (!password) {
    return (
      <EntryCard title="Passwords are disabled here">
        People sign in with {provider?.name}.{" "}
        <Anchor href="/sign-in" underline="always">
          Sign in
        </Anchor>
        .
      </EntryCard>
    );
  }
  return (
    <EntryCard title="Forgot your password?">
      {mail ? (
        <ForgotForm />
      ) : (
        <>
          This installation doesn’t send e-mail. Ask a project owner or the operator of this installation for a link,
          then{" "}
          <Anchor href="/sign-in" underline="always">
            sign in
          </Anchor>{" "}
          with your new password.
        </>
      )}
    </EntryCard>
  );
}
