"use client";
import { Alert, Button } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { signIn } from "next-auth/react";
import { useState } from "react";

type Props = {
  /** The provider's display name. */
  name: string;
  /** Where to go after signing in. */
  next: string;
  /** The token of the person's invitation. It is sent in the request body and never in a URL. */
  invitation?: string;
  variant?: "filled" | "default";
};

/** Starts sign-in at the provider; any failure leads back to the sign-in page with a message. */
export function ProviderButton({ name, next, invitation, variant = "default" }: Props) {
  const ready = useMounted();
  const [state, setState] = useState<"idle" | "leaving" | "failed">("idle");
  const leave = async () => {
    setState("leaving");
    await signIn("oidc", { callbackUrl: next, ...(invitation === undefined ? {} : { invitation }) }).catch(() =>
      setState("failed"),
    );
  };
  return (
    <>
      {state === "failed" ? (
        <Alert role="alert" color="red" p="xs">
          The server could not be reached. Check that Whetstone is running and try again.
        </Alert>
      ) : null}
      <Button size="sm" variant={variant} loading={state === "leaving"} disabled={!ready} onClick={leave} fullWidth>
        Continue with {name}
      </Button>
    </>
  );
}
