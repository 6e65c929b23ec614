"use client";
import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Ago } from "@/app/_components/values/ago";
import { useTRPC } from "@/app/_lib/trpc/client";
import { TrainerError } from "../../training/trainer-error";
import { Answers } from "../answers";
import { CertificateStatus } from "../status";
import { SubjectsTable } from "../subjects-table";
import { isComparing } from "../words";

const LIVE_MS = 2000;

/** A comparison of answers: its verdict, the figures of each form, and the answers side by side. */
export function CertificateView({ projectId, certificateId }: { projectId: string; certificateId: string }) {
  const trpc = useTRPC();
  const query = useQuery(
    trpc.certificates.get.queryOptions(
      { projectId, certificateId },
      { refetchInterval: ({ state }) => (state.data && isComparing(state.data.certificate) ? LIVE_MS : false) },
    ),
  );
  const certificate = query.data?.certificate;
  if (!certificate) {
    return query.error ? (
      <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
    ) : (
      <Skeleton mx="md" height={120} role="status" aria-label="Loading the comparison" />
    );
  }
  const { error, subjects, answers, createdAt, finishedAt, staleSince } = certificate;
  return (
    <Stack gap="sm">
      <Text size="sm" px="md" component="div" role="status">
        <CertificateStatus certificate={certificate} />{" "}
        <Text span inherit c="dimmed">
          {staleSince === null ? (
            <>
              {finishedAt === null ? "since" : "compared"} <Ago at={finishedAt ?? createdAt} />, at temperature 0
            </>
          ) : (
            "Trainer unreachable"
          )}
        </Text>
      </Text>
      {error === null ? null : <TrainerError error={error} />}
      {subjects === null || subjects.length === 0 ? null : <SubjectsTable projectId={projectId} subjects={subjects} />}
      {answers === null || answers.length === 0 ? (
        certificate.status === "ready" ? (
          <Text size="sm" c="dimmed" px="md">
            The answers were deleted along with a user or conversation they were based on. The figures remain.
          </Text>
        ) : null
      ) : (
        <Answers answers={answers} />
      )}
    </Stack>
  );
}
