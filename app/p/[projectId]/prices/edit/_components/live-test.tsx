"use client";
import { ActionIcon, Autocomplete, Stack, Table, Text, TextInput } from "@mantine/core";
import { DateTimePicker } from "@mantine/dates";
import type { UseFormReturnType } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import dayjs from "dayjs";
import { useState } from "react";
import { formatUsdExact } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { bucketName, SOURCE_WORDS } from "@/app/p/[projectId]/_components/costs/price-words";
import { AddButton } from "./add-button";
import { definitionOf, formFaults, type PriceForm } from "./form";
import classes from "./price-editor.module.css";

const QUIET_MS = 300;
type Row = { key: number; bucket: string; count: string };
type Estimate = RouterOutputs["modelPrices"]["estimate"]["estimate"];

type Props = {
  projectId: string;
  form: UseFormReturnType<PriceForm>;
  /** In whose place the draft would stand. */
  draft: { modelPriceId?: string; baseModelPriceId?: string };
};

const isCount = (text: string) => /^\d+(\.\d+)?$/.test(text.trim());

/** "This model, this usage": what it costs today, and what it would cost with what is typed beside. Nothing is stored. */
export function LiveTest({ projectId, form, draft }: Props) {
  const trpc = useTRPC();
  const [model, setModel] = useState<string | null>(null);
  const [rows, setRows] = useState<Row[]>([
    { key: 0, bucket: "input_tokens", count: "10000" },
    { key: 1, bucket: "output_tokens", count: "1000" },
  ]);
  const [moment, setMoment] = useState<string | null>(null);
  const [values] = useDebouncedValue(form.values, QUIET_MS);
  const [asked] = useDebouncedValue({ model: (model ?? form.values.modelName).trim(), rows }, QUIET_MS);
  const usage = Object.fromEntries(
    asked.rows
      .filter(({ bucket, count }) => bucket.trim() !== "" && isCount(count))
      .map(({ bucket, count }) => [bucket.trim(), Number(count)]),
  );
  const faulty = Object.keys(formFaults(values)).length > 0;
  const call = {
    projectId,
    model: asked.model,
    provider: values.provider === "external" ? null : values.provider,
    usage,
    ...(moment === null ? {} : { at: dayjs(moment).valueOf() }),
  };
  const enabled = asked.model !== "";
  const today = useQuery(trpc.modelPrices.estimate.queryOptions(call, { enabled, placeholderData: (was) => was }));
  const then = useQuery(
    trpc.modelPrices.estimate.queryOptions(
      { ...call, ...(faulty ? {} : { draft: { ...definitionOf(values), ...draft } }) },
      { enabled: enabled && !faulty, placeholderData: (was) => was, retry: false },
    ),
  );
  const change = (key: number, over: Partial<Row>) =>
    setRows(rows.map((row) => (row.key === key ? { ...row, ...over } : row)));
  return (
    <aside className={classes.rail} aria-label="Try it">
      <Stack gap="sm" className={classes.inner}>
        <Text component="h2" size="md" fw={600} m={0}>
          Try it
        </Text>
        <TextInput
          label="A call of the model"
          spellCheck={false}
          value={model ?? form.values.modelName}
          onChange={(event) => setModel(event.currentTarget.value)}
        />
        <DateTimePicker
          label="Made at"
          placeholder="Now"
          valueFormat="YYYY-MM-DD HH:mm"
          clearable
          value={moment}
          onChange={setMoment}
        />
        {rows.map((row) => (
          <div key={row.key} className={classes.price}>
            <Autocomplete
              aria-label="Bucket with usage"
              data={[...new Set(form.values.tiers.flatMap(({ prices }) => prices.map(({ bucket }) => bucket)))].filter(
                Boolean,
              )}
              value={row.bucket}
              onChange={(bucket) => change(row.key, { bucket })}
            />
            <TextInput
              aria-label={`Usage of ${row.bucket}`}
              inputMode="numeric"
              value={row.count}
              error={!isCount(row.count)}
              onChange={(event) => change(row.key, { count: event.currentTarget.value })}
            />
            <ActionIcon
              mt={4}
              aria-label={`Remove the usage of ${row.bucket}`}
              onClick={() => setRows(rows.filter(({ key }) => key !== row.key))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </div>
        ))}
        <AddButton
          onAdd={() =>
            setRows([...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, bucket: "", count: "0" }])
          }
        >
          Add usage
        </AddButton>
        {enabled ? (
          <div aria-live="polite">
            <Outcome title="With this price" estimate={then.data?.estimate} pending={then.isFetching}>
              {faulty
                ? "Once every amount is there."
                : then.error
                  ? (problemOf(then.error).errors[0]?.message ?? problemOf(then.error).detail)
                  : null}
            </Outcome>
            <Outcome
              title={moment === null ? "As it is now" : "By the prices of then"}
              estimate={today.data?.estimate}
              pending={today.isFetching}
            >
              {today.error ? problemOf(today.error).detail : null}
            </Outcome>
          </div>
        ) : (
          <Text size="sm" c="dimmed">
            Name a model to see what its call would cost.
          </Text>
        )}
      </Stack>
    </aside>
  );
}

type OutcomeProps = {
  title: string;
  estimate: Estimate | undefined;
  pending: boolean;
  /** Why there is none. */
  children: string | null;
};

function Outcome({ title, estimate, pending, children }: OutcomeProps) {
  return (
    <section aria-label={title} aria-busy={pending} style={{ marginBlockStart: "0.75rem" }}>
      <Text component="h3" size="xs" c="dimmed" fw={500} m={0}>
        {title}
      </Text>
      {children !== null ? (
        <Text size="sm">{children}</Text>
      ) : !estimate ? (
        <Text size="sm" c="dimmed">
          …
        </Text>
      ) : !estimate.cost ? (
        <Text size="sm">No price fits this name: its cost would be unknown.</Text>
      ) : (
        <Breakdown cost={estimate.cost} />
      )}
    </section>
  );
}

function Breakdown({ cost }: { cost: NonNullable<Estimate["cost"]> }) {
  return (
    <>
      <Text size="lg" fw={600} my={2}>
        {cost.total === null ? "Unknown" : formatUsdExact(cost.total)}
      </Text>
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        Tier <b>{cost.tier.name}</b> of <span className="mono">{cost.model.modelName}</span>,{" "}
        {SOURCE_WORDS[cost.source].toLowerCase()}
      </Text>
      <Table fz="sm" verticalSpacing={2} mt={4} aria-label="Cost by bucket">
        <Table.Tbody>
          {Object.entries(cost.breakdown).map(([bucket, usd]) => (
            <Table.Tr key={bucket}>
              <Table.Td>{bucketName(bucket)}</Table.Td>
              <Table.Td ta="end" className="tabular">
                {usd === null ? "no price" : formatUsdExact(usd)}
                {usd !== null && cost.unpricedDetails.includes(bucket) ? " (no price of its own)" : null}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}
