"use client";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { useState } from "react";
import { NewestToasts } from "../feedback/newest-toasts";
import { NowProvider } from "../values/now";
import { cssVariables, theme } from "./theme";

/** The dialogs' scroll lock inserts a style element, and takes its nonce from this global. */
function allowScrollLockStyles(nonce: string | undefined) {
  (globalThis as { __webpack_nonce__?: string | undefined }).__webpack_nonce__ = nonce;
}

type Props = { now: number; nonce: string | undefined; children: React.ReactNode };

export function Providers({ now, nonce, children }: Props) {
  // The nonce of the initial document: client-side navigation renders new parts under the same policy.
  const [documentNonce] = useState(nonce);
  if (typeof window !== "undefined") allowScrollLockStyles(documentNonce);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      {...(documentNonce === undefined ? {} : { getStyleNonce: () => documentNonce })}
    >
      <Notifications position="bottom-right" limit={4} />
      <NewestToasts />
      <NowProvider initial={now}>
        <NuqsAdapter>{children}</NuqsAdapter>
      </NowProvider>
    </MantineProvider>
  );
}
