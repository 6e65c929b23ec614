"use client";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { FailingParts } from "@/app/_components/feedback/failing-parts";
import { PageHeader } from "@/app/_components/layout/page-header";

/** Replaces a page that failed to render; the workbench around it stays. */
export default function PageError({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  const shown = {
    message: "This page could not be rendered. Try again. If the problem persists, check the server log.",
    data: { code: "INTERNAL_SERVER_ERROR", requestId: error.digest },
  };
  return (
    <>
      <PageHeader title="Something went wrong" />
      <ErrorState error={shown} onRetry={retry} />
      <FailingParts onRecovered={retry} />
    </>
  );
}
