"use client";
import { Button, DataList, Group, NativeSelect, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { Money } from "@/app/_components/values/money";
import { formatCount, formatPercent, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { ListedVersion } from "@/server/services/prompts/schemas";
import { useMay } from "../../../_components/access/membership";
import { promptComparisonHref, promptConversationsHref } from "../../../_components/prompts/hrefs";
import { ContentDiff } from "../../_components/content-diff";
import { Labels } from "../../_components/labels";
import type { Move } from "./move-label";
import { PromptContentView } from "./prompt-content";
import { authorOf, downShare } from "./version-columns";
import { VersionFindings } from "./version-findings";
import { VersionPreview } from "./version-preview";
import type { Prompt, Usage } from "./view";

type Days = { from: number; to: number };
type Props = {
  projectId: string;
  prompt: Prompt;
  version: number;
  listed: ListedVersion | undefined;
  /** Without one, no call names the version. */
  usage: Usage | undefined;
  days: Days;
  onMove: (move: Move) => void;
  onClose: () => void;
};

/** A version in full: what it says, how it differs from another, and what its calls brought. */
export function VersionPeek({ projectId, prompt, version, listed, usage, days, onMove, onClose }: Props) {
  const trpc = useTRPC();
  const may = useMay("models:manage");
  const [other, setOther] = useState<number | null>(null);
  const read = (number: number) =>
    trpc.prompts.get.queryOptions({ projectId, promptName: prompt.name, version: number });
  const one = useQuery(read(version));
  const compared = useQuery({ ...read(other ?? version), enabled: other !== null });
  const content = one.data?.prompt.content;
  return (
    <PeekPanel label="Version of the prompt" title={`Version ${formatCount(version)}`} onClose={onClose}>
      <Stack p="md" gap="md">
        <Group gap="xs">
          <Labels labels={one.data?.prompt.labels ?? listed?.labels ?? []} />
          {may && one.data ? (
            <Button size="compact-sm" variant="default" onClick={() => onMove({ to: version })}>
              Move a label here…
            </Button>
          ) : null}
          {may
            ? prompt.labels
                .filter((pointer) => pointer.version === version)
                .map(({ label }) => (
                  <Button
                    key={label}
                    size="compact-sm"
                    variant="default"
                    onClick={() => onMove({ to: null, label, from: version })}
                  >
                    Remove {label}…
                  </Button>
                ))
            : null}
        </Group>
        {one.error ? (
          <ErrorState error={one.error} onRetry={() => void one.refetch()} retrying={one.isFetching} />
        ) : content === undefined ? (
          <Stack role="status" aria-label="Loading the version">
            {[80, 60, 70].map((width) => (
              <Skeleton key={width} height={12} width={`${width}%`} />
            ))}
          </Stack>
        ) : (
          <>
            {prompt.latestVersion > 1 ? (
              <NativeSelect
                size="xs"
                label="Compare with"
                value={other === null ? "" : String(other)}
                onChange={({ currentTarget }) =>
                  setOther(currentTarget.value === "" ? null : Number(currentTarget.value))
                }
                data={[
                  { value: "", label: "No other version" },
                  ...Array.from({ length: prompt.latestVersion }, (_, index) => prompt.latestVersion - index)
                    .filter((number) => number !== version)
                    .map((number) => ({ value: String(number), label: `Version ${number}` })),
                ]}
              />
            ) : null}
            {other === null || !compared.data ? (
              <PromptContentView content={content} />
            ) : (
              <section aria-label={`Changes from version ${other}`}>
                <ContentDiff before={compared.data.prompt.content} after={content} />
              </section>
            )}
            <VersionPreview content={content} variables={one.data?.prompt.variables ?? []} />
          </>
        )}
        <DataList orientation="horizontal" gap="xs" size="sm" labelWidth={120}>
          {listed ? (
            <>
              <Fact label="What changed">{listed.message ?? "No message"}</Fact>
              <Fact label="By">{authorOf(listed)}</Fact>
              <Fact label="Created">
                <ExactTime at={listed.createdAt} />
              </Fact>
            </>
          ) : null}
          <Fact label="Calls">{formatCount(usage?.calls ?? 0)}</Fact>
          {usage ? (
            <>
              <Fact label="Cost">
                <Money usd={usage.cost} />
              </Fact>
              <Fact label="Conversations">
                <Link href={promptConversationsHref(projectId, { name: prompt.name, version: String(version) }, days)}>
                  {plural(usage.conversations, "conversation")}
                </Link>
              </Fact>
              <Fact label="Thumbs down">
                {usage.withFeedback === 0
                  ? "no feedback"
                  : `${formatPercent(downShare(usage))} of ${plural(usage.withFeedback, "conversation")} with feedback`}
              </Fact>
            </>
          ) : null}
        </DataList>
        {usage ? (
          <VersionFindings
            projectId={projectId}
            prompt={{ name: prompt.name, version: String(version) }}
            usage={usage}
            days={days}
          />
        ) : (
          <Text size="sm" c="dimmed">
            No call of these days names this version.
          </Text>
        )}
        {version > 1 ? (
          <Text size="sm">
            <Link
              href={promptComparisonHref(
                projectId,
                prompt.name,
                { baseline: String(version - 1), compared: String(version) },
                days,
              )}
            >
              Compare conversations with those of version {version - 1}
            </Link>
          </Text>
        ) : null}
      </Stack>
    </PeekPanel>
  );
}
