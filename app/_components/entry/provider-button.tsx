"use client";
import { Alert, Button } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { signIn } from "next-auth/react";
import { useState } from "react";

type Props = {
  /** What people call the provider. */
  name: string;
  /** Where they go afterwards. */
  next: string;
  /** The token of an invitation with which they come. It travels in the body of the request and in no address. */
  invitation?: string;
  variant?: "filled" | "default";
};

/** Off to the provider: whatever goes wrong on the way ends on the sign-in page, with a sentence. */
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
