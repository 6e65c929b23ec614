"use client";
import { Alert, Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { IconPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useEffect, useRef } from "react";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PageHeader } from "@/app/_components/layout/page-header";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { VENDOR_WORDS } from "@/app/p/[projectId]/_components/costs/price-words";
import { PRICE_PROVIDERS, type PriceDefinition } from "@/server/services/pricing/schemas";
import { pageHref } from "../../../_components/shell/pages";
import { priceHref } from "../../_components/view";
import { definitionOf, errorsOf, formFaults, formOf, nextTier, type PriceForm } from "./form";
import { LiveTest } from "./live-test";
import { PatternPreview } from "./pattern-preview";
import classes from "./price-editor.module.css";
import type { Subject } from "./subject";
import { TierFields } from "./tier-fields";

type Props = { projectId: string; subject: Subject };

/** Finds what is to be edited, and gives it to the form once. */
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
          title="No such price"
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

/** What the page is called, and what its button does. */
function words(price: PriceDefinition | undefined) {
  if (!price) return { title: "New price", action: "Set price" };
  if (price.source === "default") return { title: `Override ${price.modelName}`, action: "Override" };
  return { title: `Edit ${price.modelName}`, action: "Save as a new version" };
}

function Editor({ projectId, subject, price }: Props & { price: PriceDefinition | undefined }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const errors = useRef<HTMLDivElement>(null);
  const form = useForm<PriceForm>({
    initialValues: formOf(price, subject),
    validate: formFaults,
    validateInputOnBlur: false,
    clearInputErrorOnChange: true,
  });
  const { title, action } = words(price);
  const base = price?.source === "default" || price?.source === "project_override" ? price.id : undefined;
  const override = base === undefined ? {} : { baseModelPriceId: base };

  const done = {
    onSuccess: ({ model }: { model: PriceDefinition }) => {
      void queries.invalidateQueries({ queryKey: trpc.modelPrices.pathKey() });
      notifications.show({ message: `The next call of ${model.modelName} is priced by this.` });
      router.push(priceHref(projectId, model.id));
    },
    onError: (error: unknown) => form.setErrors(errorsOf(problemOf(error).errors, form.getValues())),
  };
  const create = useMutation(trpc.modelPrices.create.mutationOptions(done));
  const update = useMutation(trpc.modelPrices.update.mutationOptions(done));
  const saving = price?.editable ? update : create;
  useEffect(() => {
    if (saving.error) errors.current?.focus();
  }, [saving.error]);

  const save = (values: PriceForm) => {
    const input = { projectId, ...definitionOf(values), ...override };
    if (price?.editable) update.mutate({ ...input, modelPriceId: price.id });
    else create.mutate(input);
  };
  const faults = Object.keys(form.errors).length;

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
            <Button type="submit" loading={saving.isPending}>
              {action}
            </Button>
          </Group>
        }
      />
      <div className={classes.body}>
        <Stack className={classes.main} gap="lg">
          {saving.error || faults > 0 ? (
            <Alert ref={errors} tabIndex={-1} role="alert" color="red" p="xs">
              {saving.error ? problemOf(saving.error).detail : "Not saved yet."}
              {faults > 0
                ? ` ${faults === 1 ? "One field" : `${faults} fields`} below ${faults === 1 ? "says" : "say"} why.`
                : ""}
            </Alert>
          ) : null}
          {base === undefined ? null : (
            <Text size="sm" c="dimmed">
              For this project only, from the next call on. Resetting it brings the built-in price back.
            </Text>
          )}
          <div className={classes.names}>
            <Select
              size="sm"
              label="Vendor"
              allowDeselect={false}
              searchable
              data={PRICE_PROVIDERS.map((value) => ({ value, label: VENDOR_WORDS[value] }))}
              {...form.getInputProps("provider")}
            />
            <TextInput label="Model" required {...form.getInputProps("modelName")} />
          </div>
          <TextInput
            label="Pattern"
            description="Which model names it is for beside its own: a regular expression in RE2's syntax, letter case ignored. Empty: its own name only."
            placeholder="^acme-large(-\d{4})?$"
            spellCheck={false}
            {...form.getInputProps("matchPattern")}
          />
          <PatternPreview projectId={projectId} form={form.values} modelPriceId={price?.id} />
          {form.errors.tiers ? (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {form.errors.tiers}
            </Text>
          ) : null}
          {form.values.tiers.map((tier, index) => (
            <TierFields key={tier.key} form={form} index={index} />
          ))}
          <div>
            <Button
              variant="default"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => form.insertListItem("tiers", nextTier(form.getValues().tiers))}
            >
              Add a tier
            </Button>
          </div>
        </Stack>
        <LiveTest
          projectId={projectId}
          form={form}
          draft={{ ...override, ...(price?.editable && base === undefined ? { modelPriceId: price.id } : {}) }}
        />
      </div>
    </form>
  );
}
