import { ActionIcon, Autocomplete, Checkbox, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconTrash } from "@tabler/icons-react";
import { OPERATORS, quotedFor } from "@/app/p/[projectId]/_components/costs/price-words";
import { TOKEN_NAMES } from "@/server/services/pricing/usage/schemas";
import { AddButton } from "./add-button";
import { emptyCondition, emptyRow, type PriceForm } from "./form";
import classes from "./price-editor.module.css";

/** What can be priced and is known to ingest; other names are accepted as they are. */
const PRICED = [...TOKEN_NAMES, "web_searches"];

type Props = { form: UseFormReturnType<PriceForm>; index: number };

/** One tier: its conditions, and the price of each bucket. */
export function TierFields({ form, index }: Props) {
  const tier = form.values.tiers[index]!;
  const at = `tiers.${index}`;
  const name = tier.name.trim() || `Tier ${index + 1}`;
  return (
    <fieldset className={classes.tier}>
      <legend>{name}</legend>
      <Stack gap="md">
        <div className={classes.tierHead}>
          <TextInput label="Tier" {...form.getInputProps(`${at}.name`)} />
          <TextInput
            label="Priority"
            inputMode="decimal"
            title="Tiers are tried in ascending priority; the first match applies."
            {...form.getInputProps(`${at}.priority`)}
          />
          <Checkbox
            label="Default"
            mb={6}
            description="Every other call"
            {...form.getInputProps(`${at}.isDefault`, { type: "checkbox" })}
          />
          {form.values.tiers.length > 1 ? (
            <ActionIcon
              mb={4}
              aria-label={`Remove the tier ${name}`}
              onClick={() => form.removeListItem("tiers", index)}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          ) : null}
        </div>
        {tier.isDefault ? null : <Conditions form={form} index={index} />}
        <Prices form={form} index={index} />
      </Stack>
    </fieldset>
  );
}

function Conditions({ form, index }: Props) {
  const at = `tiers.${index}.conditions`;
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        Applies when
      </Text>
      {form.errors[at] ? (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {form.errors[at]}
        </Text>
      ) : null}
      {form.values.tiers[index]!.conditions.map((condition, row) => (
        <div key={condition.key} className={classes.condition}>
          <TextInput
            aria-label={`Buckets that condition ${row + 1} adds up`}
            description="Usage in buckets like"
            spellCheck={false}
            {...form.getInputProps(`${at}.${row}.usageDetailPattern`)}
          />
          <NativeSelect
            size="sm"
            aria-label={`How condition ${row + 1} compares`}
            description="is"
            data={OPERATORS}
            {...form.getInputProps(`${at}.${row}.operator`)}
          />
          <TextInput
            aria-label={`What condition ${row + 1} compares with`}
            description="units"
            inputMode="decimal"
            {...form.getInputProps(`${at}.${row}.value`)}
          />
          <ActionIcon mt={24} aria-label={`Remove condition ${row + 1}`} onClick={() => form.removeListItem(at, row)}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <AddButton onAdd={() => form.insertListItem(at, emptyCondition())}>Add a condition</AddButton>
    </Stack>
  );
}

function Prices({ form, index }: Props) {
  const at = `tiers.${index}.prices`;
  const rows = form.values.tiers[index]!.prices;
  const free = PRICED.filter((bucket) => !rows.some((row) => row.bucket === bucket));
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        Prices
      </Text>
      {form.errors[at] ? (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {form.errors[at]}
        </Text>
      ) : null}
      {rows.map((row, at2) => (
        <div key={row.key} className={classes.price}>
          <Autocomplete
            aria-label={`Bucket ${at2 + 1}`}
            data={free}
            spellCheck={false}
            {...form.getInputProps(`${at}.${at2}.bucket`)}
          />
          <TextInput
            aria-label={`Price of ${row.bucket || `bucket ${at2 + 1}`} in US dollars`}
            inputMode="decimal"
            leftSection="$"
            rightSection={
              <Text size="xs" c="dimmed">
                {quotedFor(row.bucket) === 1 ? "each" : "/ 1M"}
              </Text>
            }
            rightSectionWidth={48}
            {...form.getInputProps(`${at}.${at2}.amount`)}
          />
          <ActionIcon
            mt={4}
            aria-label={`Remove the price of ${row.bucket || `bucket ${at2 + 1}`}`}
            onClick={() => form.removeListItem(at, at2)}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <AddButton onAdd={() => form.insertListItem(at, emptyRow(free[0]))}>Add a bucket</AddButton>
    </Stack>
  );
}
