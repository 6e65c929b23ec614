import { ActionIcon, Autocomplete, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { AddButton } from "./add-button";
import type { PriceForm } from "./form";
import classes from "./price-editor.module.css";

export type UsageRow = { key: number; bucket: string; count: string };

export const isCount = (text: string) => /^\d+(\.\d+)?$/.test(text.trim());

type Props = { form: PriceForm; rows: readonly UsageRow[]; onChange: (rows: readonly UsageRow[]) => void };

/** A call's usage by bucket, as typed; the form's own buckets are suggested. */
export function UsageRows({ form, rows, onChange }: Props) {
  const offered = [...new Set(form.tiers.flatMap(({ prices }) => prices.map(({ bucket }) => bucket)))].filter(Boolean);
  const change = (key: number, over: Partial<UsageRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...over } : row)));
  return (
    <>
      {rows.map((row) => (
        <div key={row.key} className={classes.price}>
          <Autocomplete
            aria-label="Bucket with usage"
            data={offered}
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
            onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <AddButton
        onAdd={() =>
          onChange([...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, bucket: "", count: "0" }])
        }
      >
        Add usage
      </AddButton>
    </>
  );
}
