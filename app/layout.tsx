import "@fontsource-variable/inter/index.css";
import "@fontsource-variable/jetbrains-mono/index.css";
import "@mantine/core/styles.css";
import "@mantine/dates/styles.css";
import "@mantine/charts/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./globals.css";
import { ColorSchemeScript, mantineHtmlProps } from "@mantine/core";
import type { Metadata } from "next";
import { headers } from "next/headers";
import { connection } from "next/server";
import { Providers } from "./_components/providers/providers";
import { ApiProvider } from "./_lib/trpc/client";

export const metadata: Metadata = {
  title: { default: "Whetstone", template: "%s · Whetstone" },
  description: "Conversations, what they cost and what goes wrong in them.",
  robots: { index: false },
};

export default async function RootLayout({ children }: { children: React.ReactNode }) {
  // Every page shows a user's current data, so none is rendered at build time.
  await connection();
  // From this response's content security policy: see web/security-headers.ts.
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  return (
    <html lang="en" {...mantineHtmlProps}>
      <head>
        <ColorSchemeScript nonce={nonce} defaultColorScheme="auto" />
      </head>
      <body>
        <ApiProvider>
          <Providers now={Date.now()} nonce={nonce}>
            {children}
          </Providers>
        </ApiProvider>
      </body>
    </html>
  );
}
