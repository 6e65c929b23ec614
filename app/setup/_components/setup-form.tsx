"use client";
import { Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMounted } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { signIn } from "next-auth/react";
import { Refused } from "@/app/_components/feedback/refused";
import { forgetLinkToken } from "@/app/_lib/link-token";
import { storeKey } from "@/app/_lib/stored-key";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { SignInMethods } from "@/server/services/single-sign-on";

const PASSWORD_MIN = 8;

/** The first person becomes the owner, with a project and a key that is filled into the first snippet. */
export function SetupForm({ token, ways }: { token: string | undefined; ways: SignInMethods }) {
  const trpc = useTRPC();
  const ready = useMounted() && token !== undefined;
  const form = useForm({
    mode: "controlled",
    initialValues: { name: "", email: "", password: "", projectName: "" },
    validate: {
      email: (email) => (/^\S+@\S+\.\S+$/.test(email.trim()) ? null : "An e-mail address, such as you@example.com"),
      password: (password) =>
        ways.password && password.length < PASSWORD_MIN
          ? `At least ${PASSWORD_MIN} characters; a short sentence works well`
          : null,
    },
  });
  const complete = useMutation(
    trpc.setup.complete.mutationOptions({
      onSuccess: async ({ project, secret }, { email, password }) => {
        storeKey(project.id, secret);
        forgetLinkToken("setup");
        const first = `/p/${project.id}/send-a-trace`;
        if (password === undefined) return void (await signIn("oidc", { callbackUrl: first }));
        const signedIn = await signIn("credentials", { email, password, redirect: false }).catch(() => null);
        window.location.assign(signedIn?.ok ? first : "/sign-in");
      },
    }),
  );
  const done = complete.isPending || complete.isSuccess;
  return (
    // Nothing may be submitted before the script runs, least of all a password in a URL.
    <form
      method="post"
      noValidate
      onSubmit={form.onSubmit(({ name, email, password, projectName }) =>
        complete.mutate({
          token: token ?? "",
          email: email.trim(),
          ...(ways.password ? { password } : {}),
          ...(name.trim() ? { name: name.trim() } : {}),
          ...(projectName.trim() ? { projectName: projectName.trim() } : {}),
        }),
      )}
    >
      <Stack gap="sm">
        <Text c="dimmed">
          You become the owner of this installation.{" "}
          {ways.password
            ? "Nothing leaves this machine, and no e-mail is sent."
            : `You sign in with ${ways.provider?.name}, so enter the e-mail address of that account.`}
        </Text>
        <Refused error={complete.error} />
        <TextInput label="Your name" name="name" autoComplete="name" maxLength={120} {...form.getInputProps("name")} />
        <TextInput
          label="E-mail"
          description="You’ll sign in with it."
          type="email"
          name="email"
          autoComplete="username"
          required
          {...form.getInputProps("email")}
        />
        {ways.password ? (
          <PasswordInput
            label="Password"
            description={`At least ${PASSWORD_MIN} characters.`}
            name="password"
            autoComplete="new-password"
            required
            maxLength={256}
            {...form.getInputProps("password")}
          />
        ) : null}
        <TextInput
          label="First project"
          description="The application you want to look into."
          name="projectName"
          placeholder="My project"
          maxLength={120}
          {...form.getInputProps("projectName")}
        />
        <Button type="submit" size="sm" mt={4} loading={done} disabled={!ready} fullWidth>
          {ways.password ? "Create account and project" : `Create the project and continue with ${ways.provider?.name}`}
        </Button>
      </Stack>
    </form>
  );
}
