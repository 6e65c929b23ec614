import { Button, Select, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconPlus } from "@tabler/icons-react";
import { VENDOR_WORDS } from "@/app/p/[projectId]/_components/costs/price-words";
import { PRICE_PROVIDERS } from "@/server/services/pricing/schemas";
import { nextTier, type PriceForm } from "./form";
import { PatternPreview } from "./pattern-preview";
import classes from "./price-editor.module.css";
import { TierFields } from "./tier-fields";

type Props = {
  projectId: string;
  form: UseFormReturnType<PriceForm>;
  /** The price being edited or overridden. */
  modelPriceId: string | undefined;
};

/** The matching models, and the tiers. */
export const PriceFields = ({ projectId, form, modelPriceId }: Props) => (
  <>
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
      description="Other model names it applies to: a regular expression in RE2 syntax, case-insensitive. Leave empty for its own name only."
      placeholder="^acme-large(-\d{4})?$"
      spellCheck={false}
      {...form.getInputProps("matchPattern")}
    />
    <PatternPreview projectId={projectId} form={form.values} modelPriceId={modelPriceId} />
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
  </>
);
