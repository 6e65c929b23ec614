"use client";
import { Alert, Anchor, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { signIn } from "next-auth/react";
import { useState } from "react";

const WRONG = "Wrong e-mail address or password. After several attempts you have to wait a few minutes.";
/**
 * By next-auth's codes; each is equally true of an e-mail address without an account, or shown only to holders of the
 * password.
 */
const REFUSALS: Record<string, string> = {
  RateLimited:
    "Too many attempts to sign in. Wait a few minutes, sign in from your usual network, or request a link to set a new password.",
  Disabled: "This account is disabled. Ask an owner of this installation to enable it.",
  Unavailable: "Signing in failed. Try again in a moment.",
};
const UNREACHABLE = "The server could not be reached. Check that Whetstone is running and try again.";

/** `canReset`: password-reset links are mailed here. */
type Props = { next: string; canReset: boolean };

/** One message for every refusal, so that it never reveals whether an address has an account. */
export function SignInForm({ next, canReset }: Props) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const ready = useMounted();

  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const result = await signIn("credentials", { email, password, redirect: false });
      if (result?.ok && !result.error) {
        window.location.assign(next);
        return;
      }
      setProblem(REFUSALS[result?.error ?? ""] ?? WRONG);
    } catch {
      setProblem(UNREACHABLE);
    }
    setBusy(false);
  };
  return (
    // Nothing may be submitted before the script runs, least of all a password in a URL.
    <form method="post" onSubmit={submit}>
      <Stack gap="sm">
        {problem ? (
          <Alert role="alert" color="red" p="xs">
            {problem}
          </Alert>
        ) : null}
        <TextInput
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" size="sm" mt={4} loading={busy} disabled={!ready} fullWidth>
          Sign in
        </Button>
        {canReset ? (
          <Anchor href="/forgot" size="sm">
            Forgot your password?
          </Anchor>
        ) : null}
      </Stack>
    </form>
  );
}
