"use client";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageHeader } from "@/app/_components/layout/page-header";
import { Ago } from "@/app/_components/values/ago";
import { formatCount, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Dataset } from "@/server/services/datasets/datasets/schemas";
import { useMay } from "../../../_components/access/membership";
import { pageHref } from "../../../_components/shell/pages";
import { newTrainingHref } from "../../../_components/training/hrefs";
import { CollectionState } from "../../_components/collection-state";
import { known } from "../../_components/known";
import { datasetHref, exampleHref } from "../../_components/view";
import { SPLIT_VALUES, SPLITS } from "../../_components/words";
import classes from "./dataset-page.module.css";
import { serializeView } from "./view";

/** A Dataset's name, its Examples by split, and what can be done with it. */
export function DatasetHeader({ projectId, dataset }: { projectId: string; dataset: Dataset }) {
  const trpc = useTRPC();
  const may = useMay("models:manage");
  const facets = useQuery(trpc.examples.facets.queryOptions({ projectId, datasetId: dataset.id }));
  return (
    <PageHeader
      title={
        <span className={classes.title}>
          <BackLink href={pageHref(projectId, "datasets")} label="All Datasets" />
          <span className="clip" dir="auto" title={dataset.name}>
            {dataset.name}
          </span>
        </span>
      }
      aside={
        may ? (
          <>
            {dataset.exampleCount === 0 ? null : (
              <Button
                component={Link}
                variant="default"
                href={newTrainingHref(projectId, { dataset: dataset.id, step: "model" })}
              >
                Train
              </Button>
            )}
            <Button component={Link} href={exampleHref(projectId, dataset.id, "new")}>
              New Example
            </Button>
          </>
        ) : null
      }
    >
      <p className={classes.facts}>
        <span>{plural(dataset.exampleCount, "Example")}</span>
        {known(facets.data?.facets.splits ?? [], SPLIT_VALUES).map(({ value, count }) => (
          <Link key={value} href={`${datasetHref(projectId, dataset.id)}${serializeView({ split: [value] })}`}>
            {SPLITS[value]} {formatCount(count)}
          </Link>
        ))}
        {dataset.version === 0 ? null : <span>Version {formatCount(dataset.version)}</span>}
        <CollectionState dataset={dataset} />
        <span>
          updated <Ago at={dataset.updatedAt} />
        </span>
      </p>
    </PageHeader>
  );
}
