"use client";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { NowProvider } from "./now";
import { cssVariables, theme } from "./theme";

export function Providers({ now, children }: { now: number; children: React.ReactNode }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <Notifications position="bottom-right" limit={4} />
      <NowProvider initial={now}>
        <NuqsAdapter>{children}</NuqsAdapter>
      </NowProvider>
    </MantineProvider>
  );
}
