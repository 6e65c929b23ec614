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
import { connection } from "next/server";
import { Providers } from "./_components/providers";
import { ApiProvider } from "./_lib/trpc";

export const metadata: Metadata = {
  title: { default: "Whetstone", template: "%s · Whetstone" },
  description: "Conversations, what they cost and what goes wrong in them.",
  robots: { index: false },
};

export default async function RootLayout({ children }: { children: React.ReactNode }) {
  // Every page shows somebody's present data; none is made at build time.
  await connection();
  return (
    <html lang="en" {...mantineHtmlProps}>
      <head>
        <ColorSchemeScript defaultColorScheme="auto" />
      </head>
      <body>
        <ApiProvider>
          <Providers now={Date.now()}>{children}</Providers>
        </ApiProvider>
      </body>
    </html>
  );
}
