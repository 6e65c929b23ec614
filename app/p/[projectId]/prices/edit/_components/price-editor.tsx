"use client";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRef } from "react";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { PriceDefinition } from "@/server/services/pricing/schemas";
import { pageHref } from "../../../_components/shell/pages";
import { priceHref } from "../../_components/view";
import { formFaults, formOf, type PriceForm } from "./form";
import { LiveTest } from "./live-test";
import classes from "./price-editor.module.css";
import { PriceFields } from "./price-fields";
import { SaveProblems } from "./save-problems";
import type { Subject } from "./subject";
import { useSavePrice } from "./use-save-price";

type Props = { projectId: string; subject: Subject };

/** Loads the price to edit, and passes it to the form once. */
export function PriceEditor({ projectId, subject }: Props) {
  const trpc = useTRPC();
  const list = useQuery(trpc.modelPrices.list.queryOptions({ projectId }));
  const id = subject.id ?? subject.base;
  const start = useRef<PriceDefinition>(undefined);
  start.current ??= list.data?.models.find((model) => model.id === id);
  if (id === null || start.current) {
    return <Editor key={id} projectId={projectId} subject={subject} price={start.current} />;
  }
  return (
    <>
      <PageHeader title="Edit a price" />
      {list.data ? (
        <EmptyState
          icon={null}
          title="Price not found"
          action={
            <Button component={Link} href={pageHref(projectId, "prices")} variant="default">
              All prices
            </Button>
          }
        >
          It may have been deleted, or reset to the built-in one.
        </EmptyState>
      ) : (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />
      )}
    </>
  );
}

/** The page's title and its button's label. */
function words(price: PriceDefinition | undefined) {
  if (!price) return { title: "New price", action: "Set price" };
  if (price.source === "default") return { title: `Override ${price.modelName}`, action: "Override" };
  return { title: `Edit ${price.modelName}`, action: "Save as a new version" };
}

function Editor({ projectId, subject, price }: Props & { price: PriceDefinition | undefined }) {
  const form = useForm<PriceForm>({
    initialValues: formOf(price, subject),
    validate: formFaults,
    validateInputOnBlur: false,
    clearInputErrorOnChange: true,
  });
  const { title, action } = words(price);
  const base = price?.source === "default" || price?.source === "project_override" ? price.id : undefined;
  const { save, saving, error } = useSavePrice({ projectId, form, price, base });
  return (
    <form onSubmit={form.onSubmit(save)} className={classes.form} noValidate>
      <PageHeader
        title={title}
        aside={
          <Group gap="xs">
            <Button
              component={Link}
              href={price ? priceHref(projectId, price.id) : pageHref(projectId, "prices")}
              variant="default"
            >
              Cancel
            </Button>
            <Button type="submit" loading={saving}>
              {action}
            </Button>
          </Group>
        }
      />
      <div className={classes.body}>
        <Stack className={classes.main} gap="lg">
          <SaveProblems error={error} faults={Object.keys(form.errors).length} />
          {base === undefined ? null : (
            <Text size="sm" c="dimmed">
              For this project only, from the next call on. Resetting it brings the built-in price back.
            </Text>
          )}
          <PriceFields projectId={projectId} form={form} modelPriceId={price?.id} />
        </Stack>
        <LiveTest projectId={projectId} form={form} draft={draftOf(price, base)} />
      </div>
    </form>
  );
}

/** The price that the form's would replace. */
function draftOf(price: PriceDefinition | undefined, base: string | undefined) {
  if (base !== undefined) return { baseModelPriceId: base };
  return price?.editable ? { modelPriceId: price.id } : {};
}
