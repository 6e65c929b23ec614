"use client";
import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Ago } from "@/app/_components/values/ago";
import { ExactTime } from "@/app/_components/values/exact-time";
import { fieldChanges } from "@/app/_components/values/field-changes";
import { FieldDiff } from "@/app/_components/values/field-diff";
import { formatDay } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { PriceVersion } from "@/server/services/pricing/schemas";
import { versionFields } from "./version-fields";
import classes from "./version-history.module.css";

const PAGE = 20;

/** A price's versions with their times, authors and changes. */
export function VersionHistory({ projectId, modelPriceId }: { projectId: string; modelPriceId: string }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.modelPrices.versions.infiniteQueryOptions({ projectId, modelPriceId, limit: PAGE }, nextPage),
  );
  const own = list.data?.pages.flatMap((page) => page.versions) ?? [];
  const catalogue = list.data?.pages[0]?.catalogue ?? [];
  if (!list.data) {
    return list.error ? (
      <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />
    ) : (
      <Skeleton height={64} role="status" aria-label="Loading the history" />
    );
  }
  return (
    <Stack gap="md">
      {own.length > 0 ? (
        <History title="The project's versions">
          {own.map((version, index) => (
            <Version
              key={version.version}
              version={version}
              before={own[index + 1] ?? (list.hasNextPage ? undefined : (catalogue[0] ?? null))}
            />
          ))}
        </History>
      ) : null}
      {list.hasNextPage ? (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Older versions
        </Button>
      ) : null}
      {catalogue.length > 0 ? (
        <History title="Built-in">
          {catalogue.map((version, index) => (
            <Version key={version.effectiveFrom} version={version} before={catalogue[index + 1] ?? null} />
          ))}
        </History>
      ) : null}
    </Stack>
  );
}

const History = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <section aria-label={title}>
    <Text component="h3" size="xs" c="dimmed" fw={500} m={0} mb={4}>
      {title}
    </Text>
    <ol className={classes.list}>{children}</ol>
  </section>
);

/** A person or a key; a deleted one has only an id. */
const nameOf = (id: string | null, name: string | null) => name ?? id;

/** `before`: the version it replaced; `null` if there was none, `undefined` if not loaded yet. */
function Version({ version, before }: { version: PriceVersion; before: PriceVersion | null | undefined }) {
  const [open, setOpen] = useState(false);
  const { effectiveFrom, supersededAt } = version;
  const [maker, ender] = [
    nameOf(version.changedBy, version.changedByName),
    nameOf(version.supersededBy, version.supersededByName),
  ];
  const changes = before === undefined ? [] : fieldChanges(before && versionFields(before), versionFields(version));
  return (
    <li className={classes.version}>
      <div className={classes.line}>
        <span>
          {version.version === null ? "Since" : <b>Version {version.version}</b>}{" "}
          {effectiveFrom === null ? (
            "the first known price"
          ) : version.version === null ? (
            formatDay(effectiveFrom, 0)
          ) : (
            <Ago at={effectiveFrom} />
          )}
          {maker ? ` by ${maker}` : ""}
        </span>
        {supersededAt === null ? (
          <span className={classes.now}>in effect</span>
        ) : (
          <span className={classes.dim}>
            until {version.version === null ? formatDay(supersededAt, 0) : <ExactTime at={supersededAt} />}
            {ender && ender !== maker ? ` by ${ender}` : ""}
          </span>
        )}
        {before === undefined ? null : (
          <Button
            variant="subtle"
            size="compact-xs"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            aria-label={`${open ? "Hide" : "Show"} the changes of ${version.version === null ? "this price" : `version ${version.version}`}`}
          >
            {open ? "Hide changes" : before === null ? "Show" : "Changes"}
          </Button>
        )}
      </div>
      {open ? <FieldDiff changes={changes.filter(({ kind }) => kind !== "same")} /> : null}
    </li>
  );
}
