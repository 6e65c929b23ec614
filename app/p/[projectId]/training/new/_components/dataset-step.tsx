"use client";
import { Button, NativeSelect, Radio, Skeleton } from "@mantine/core";
import { IconBooks } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { formatCount, formatDay, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { HeldOutNotice } from "../../../_components/datasets/held-out";
import { useDatasets } from "../../../_components/datasets/use-datasets";
import { pageHref } from "../../../_components/shell/pages";
import { SPLIT_VALUES, SPLITS } from "../../../datasets/_components/words";
import classes from "./new-training.module.css";
import { Option } from "./option";
import type { StepProps } from "./step-props";

/** Chooses the Dataset and its version. */
export function DatasetStep({ projectId, draft, setDraft }: StepProps) {
  const datasets = useDatasets(projectId);
  if (!datasets.data) {
    return datasets.error ? (
      <ErrorState error={datasets.error} onRetry={() => void datasets.refetch()} retrying={datasets.isFetching} />
    ) : (
      <div className={classes.content} role="status" aria-label="Loading the Datasets">
        <Skeleton height={220} />
      </div>
    );
  }
  if (datasets.data.length === 0) {
    return (
      <EmptyState
        icon={IconBooks}
        title="No Datasets yet"
        action={
          <Button component={Link} href={pageHref(projectId, "datasets")}>
            Datasets
          </Button>
        }
      >
        Models are trained on the Examples of a Dataset. Create one first, and fill it by hand, from a file or from your
        own conversations.
      </EmptyState>
    );
  }
  return (
    <div className={classes.content}>
      <Radio.Group
        label="Dataset to train on"
        value={draft.dataset}
        onChange={(dataset) => setDraft({ dataset, version: null })}
      >
        <div className={classes.options} style={{ marginBlockStart: 8 }}>
          {datasets.data.map(({ id, name, exampleCount, version }) => (
            <Option
              key={id}
              value={id}
              chosen={id === draft.dataset}
              disabled={exampleCount === 0}
              title={<span dir="auto">{name}</span>}
              description={
                exampleCount === 0
                  ? "Empty: add Examples first"
                  : `${plural(exampleCount, "Example")}, version ${formatCount(version)}`
              }
            />
          ))}
        </div>
      </Radio.Group>
      {draft.dataset === null ? null : (
        <>
          <Version projectId={projectId} datasetId={draft.dataset} draft={draft} setDraft={setDraft} />
          {draft.version === null ? <HeldOutNotice projectId={projectId} datasetId={draft.dataset} /> : null}
        </>
      )}
    </div>
  );
}

type VersionProps = Pick<StepProps, "projectId" | "draft" | "setDraft"> & { datasetId: string };

function Version({ projectId, datasetId, draft, setDraft }: VersionProps) {
  const trpc = useTRPC();
  const versions = useQuery(trpc.datasetVersions.list.queryOptions({ projectId, datasetId, limit: 100 }));
  const facets = useQuery(trpc.examples.facets.queryOptions({ projectId, datasetId }));
  const known = versions.data?.versions ?? [];
  const splits = facets.data?.facets.splits ?? [];
  const counted = SPLIT_VALUES.flatMap((split) => {
    const count = splits.find(({ value }) => value === split)?.count ?? 0;
    return count === 0 ? [] : [`${SPLITS[split]} ${formatCount(count)}`];
  });
  return (
    <NativeSelect
      size="sm"
      maw={420}
      label="Version"
      description={
        draft.version === null
          ? `Its state when the training starts${counted.length === 0 ? "" : `: ${counted.join(", ")}`}.`
          : "Later changes are not trained on."
      }
      value={draft.version === null ? "" : String(draft.version)}
      onChange={(event) => setDraft({ version: Number(event.currentTarget.value) || null })}
      data={[
        { value: "", label: "Latest" },
        ...known.map(({ number, exampleCount, createdAt }) => ({
          value: String(number),
          label: `${formatCount(number)}: ${plural(exampleCount, "Example")}, ${formatDay(createdAt, 0)}`,
        })),
        ...(draft.version !== null && !known.some(({ number }) => number === draft.version)
          ? [{ value: String(draft.version), label: formatCount(draft.version) }]
          : []),
      ]}
    />
  );
}
