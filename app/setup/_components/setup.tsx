"use client";
import { EntryCard } from "@/app/_components/entry/entry-card";
import { useLinkToken } from "@/app/_lib/link-token";
import type { SignInMethods } from "@/server/services/single-sign-on";
import { SetupForm } from "./setup-form";

/** The form, for anyone who opened the printed link. */
export function Setup({ ways }: { ways: SignInMethods }) {
  const token = useLinkToken("setup");
  if (token === null) {
    return (
      <EntryCard title="Open the whole link">
        The setup link that was printed in the terminal ends with <span className="mono">#token=…</span>. Copy all of
        it, or create a new one on the server: <span className="mono">npx whetstone setup-link</span>
      </EntryCard>
    );
  }
  return (
    <EntryCard title="Set up Whetstone">
      <SetupForm token={token} ways={ways} />
    </EntryCard>
  );
}
