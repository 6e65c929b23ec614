"use client";
import { IconVersions } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import Link from "next/link";
import { Fragment, useState } from "react";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListQuery } from "@/app/_components/data-table/types";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { plural } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import type { ListedVersion } from "@/server/services/prompts/schemas";
import { promptConversationsHref } from "../../../_components/prompts/hrefs";
import { daysOf } from "../../../costs/_components/day-range";
import { DayRangePicker } from "../../../costs/_components/day-range-picker";
import { type Move, MoveLabel } from "./move-label";
import classes from "./prompt.module.css";
import { versionColumns } from "./version-columns";
import { VersionPeek } from "./version-peek";
import { type Prompt, usageByVersion, usedElsewhere, type View } from "./view";

type Props = {
  projectId: string;
  prompt: Prompt;
  list: ListQuery;
  versions: readonly ListedVersion[];
  usage: UseQueryResult<RouterOutputs["prompts"]["usage"], unknown>;
  view: View;
  now: number;
  onRange: (range: Pick<View, "range" | "from" | "to">) => void;
};

/** A prompt's versions with what their calls cost and what users said, and the open one next to them. */
export function VersionsTab({ projectId, prompt, list, versions, usage, view, now, onRange }: Props) {
  const [move, setMove] = useState<Move | null>(null);
  const days = daysOf(view, now);
  const used = usage.data?.versions ?? [];
  const byVersion = usageByVersion(used);
  return (
    <>
      <div className={classes.bar}>
        <DayRangePicker what="Calls (UTC)" value={view} now={now} onChange={onRange} />
        {usage.data?.sampled ? <span>Of the newest 50,000 calls.</span> : null}
        <Others projectId={projectId} prompt={prompt} usage={usedElsewhere(used, prompt.latestVersion)} days={days} />
      </div>
      {usage.error ? (
        <ErrorState error={usage.error} onRetry={() => void usage.refetch()} retrying={usage.isFetching} />
      ) : null}
      <DataList
        list={list}
        name="Versions of the prompt"
        what="version"
        columns={versionColumns((version) => (usage.data ? (byVersion.get(String(version)) ?? "unused") : undefined))}
        rows={versions}
        rowId={({ version }) => String(version)}
        rowName={({ version }) => `Version ${version}`}
        rowHref={({ version }) => `?peek=${version}`}
        linkPeeks
        minWidth={340}
        peek={({ id, row, close }) => (
          <VersionPeek
            key={id}
            projectId={projectId}
            prompt={prompt}
            version={Number(id)}
            listed={row}
            usage={byVersion.get(id)}
            days={days}
            onMove={setMove}
            onClose={close}
          />
        )}
        empty={
          <EmptyState icon={IconVersions} title="No versions">
            Write a version first.
          </EmptyState>
        }
      />
      <MoveLabel projectId={projectId} prompt={prompt} move={move} onClose={() => setMove(null)} />
    </>
  );
}

type OthersProps = {
  projectId: string;
  prompt: Prompt;
  usage: ReturnType<typeof usedElsewhere>;
  days: { from: number; to: number };
};

/** Versions that calls name and that are not here: of another store of prompts, or of a deleted prompt. */
const Others = ({ projectId, prompt: { name }, usage, days }: OthersProps) =>
  usage.length === 0 ? null : (
    <span>
      Calls also name{" "}
      {usage.map(({ version, calls }, at) => (
        <Fragment key={version}>
          {at > 0 ? ", " : ""}
          <Link href={promptConversationsHref(projectId, { name, version }, days)}>{version ?? "no version"}</Link> (
          {plural(calls, "call")})
        </Fragment>
      ))}
      .
    </span>
  );
