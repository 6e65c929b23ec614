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
      <EntryCard title="There are no passwords here">
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
          No e-mail is sent from here. Ask an owner of your project for a link, or whoever runs this installation, and{" "}
          <Anchor href="/sign-in" underline="always">
            sign in
          </Anchor>{" "}
          after that.
        </>
      )}
    </EntryCard>
  );
}
