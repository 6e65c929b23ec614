"use client";
import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMounted } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { signIn } from "next-auth/react";
import { Refused } from "@/app/_components/feedback/refused";
import { forgetLinkToken } from "@/app/_lib/link-token";
import { useTRPC } from "@/app/_lib/trpc/client";

const PASSWORD_MIN = 8;
type Props = { token: string; role: string; email: string | null };

/** Creates an account and joins the project. */
export function JoinForm({ token, role, email }: Props) {
  const trpc = useTRPC();
  const ready = useMounted();
  const form = useForm({
    mode: "controlled",
    initialValues: { name: "", email: email ?? "", password: "" },
    validate: {
      email: (given) => (/^\S+@\S+\.\S+$/.test(given.trim()) ? null : "An e-mail address, such as you@example.com"),
      password: (password) =>
        password.length < PASSWORD_MIN ? `At least ${PASSWORD_MIN} characters; a short sentence works well` : null,
    },
  });
  const join = useMutation(
    trpc.links.join.mutationOptions({
      onSuccess: async ({ project }, given) => {
        forgetLinkToken("invite");
        const signedIn = await signIn("credentials", {
          email: given.email,
          password: given.password,
          redirect: false,
        }).catch(() => null);
        window.location.assign(signedIn?.ok ? `/p/${project.id}` : "/sign-in");
      },
    }),
  );
  return (
    // Nothing may be submitted before the script runs, least of all a password in a URL.
    <form
      method="post"
      noValidate
      onSubmit={form.onSubmit((given) =>
        join.mutate({
          token,
          email: given.email.trim(),
          password: given.password,
          ...(given.name.trim() ? { name: given.name.trim() } : {}),
        }),
      )}
    >
      <Stack gap="sm">
        <Text c="dimmed">
          You join as {role}. If you have an account here,{" "}
          <Anchor href="/sign-in?next=%2Finvite" underline="always">
            sign in
          </Anchor>{" "}
          instead.
        </Text>
        <Refused error={join.error} />
        <TextInput label="Your name" name="name" autoComplete="name" maxLength={120} {...form.getInputProps("name")} />
        <TextInput
          label="E-mail"
          description={email === null ? "You’ll sign in with it." : "The invitation is for this address."}
          type="email"
          name="email"
          autoComplete="username"
          required
          readOnly={email !== null}
          {...form.getInputProps("email")}
        />
        <PasswordInput
          label="Password"
          description={`At least ${PASSWORD_MIN} characters.`}
          name="password"
          autoComplete="new-password"
          required
          maxLength={256}
          {...form.getInputProps("password")}
        />
        <Button type="submit" size="sm" mt={4} loading={join.isPending || join.isSuccess} disabled={!ready} fullWidth>
          Create account and join
        </Button>
      </Stack>
    </form>
  );
}
