"use client";
import {
  Button,
  Checkbox,
  Group,
  Modal,
  MultiSelect,
  NativeSelect,
  SegmentedControl,
  SimpleGrid,
  Stack,
  TextInput,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import {
  ALERT_MEASURE_NAMES,
  type Alert,
  type AlertCondition,
  MEASURES,
} from "@/server/services/notifications/alerts/schemas";
import { useMay } from "../../_components/access/membership";
import { FindingSelect } from "../../_components/findings/finding-select";
import { AlertPreview } from "./alert-preview";
import { FilterFields } from "./filter-fields";
import { type Filled, initialValues, problemsOf, sentOf, withFinding, withMeasure } from "./form-values";
import { LimitFields } from "./limit-fields";
import { useSaveAlert } from "./use-save-alert";

type Option = { value: string; label: string };
type Props = {
  projectId: string;
  /** The alert being edited; `null` for a new one. */
  alert: Alert | null;
  /** From the address, for a new one. */
  filled: Filled;
  webhooks: readonly Option[];
  sendsMail: boolean;
  onClose: () => void;
};

/** Creates or edits an alert, and shows meanwhile when it would have fired. */
export function AlertForm({ opened, ...rest }: Props & { opened: boolean }) {
  // Keeps the content while the dialog fades out.
  const [shown, setShown] = useState(rest);
  if (opened && (rest.alert !== shown.alert || rest.filled !== shown.filled)) setShown(rest);
  return (
    <Modal
      opened={opened}
      onClose={rest.onClose}
      title={shown.alert ? `Edit “${shown.alert.name}”` : "New alert"}
      size="60rem"
    >
      <Fields
        key={shown.alert?.id ?? `new ${shown.filled.measure}`}
        {...rest}
        alert={shown.alert}
        filled={shown.filled}
      />
    </Modal>
  );
}

const CONDITIONS: { value: AlertCondition; label: string }[] = [
  { value: "threshold", label: "Reaches a limit" },
  { value: "change", label: "Is above the usual" },
];

function Fields({ projectId, alert, filled, webhooks, sendsMail, onClose }: Props) {
  const mayReadCosts = useMay("model-pricing:read");
  const form = useForm({
    mode: "controlled",
    initialValues: initialValues(alert, filled, mayReadCosts),
    validate: problemsOf,
  });
  const { save, error, isPending } = useSaveAlert({ projectId, alert, onClose });
  const { values } = form;
  const { filters, changes } = MEASURES[values.measure];
  const measures = ALERT_MEASURE_NAMES.filter((measure) => mayReadCosts || !MEASURES[measure].isCost);
  return (
    <form noValidate onSubmit={form.onSubmit((checked) => save(sentOf(checked)))}>
      <Stack gap="md">
        <Refused error={error} />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
          <Stack gap="md">
            <NativeSelect
              size="sm"
              label="Measure"
              data={measures.map((value) => ({ value, label: MEASURES[value].name }))}
              data-autofocus
              {...form.getInputProps("measure")}
              onChange={({ currentTarget: { value } }) =>
                form.setValues(withMeasure(values, value as typeof values.measure, values.condition))
              }
            />
            {filters === "none" ? null : <FilterFields projectId={projectId} form={form} />}
            {values.measure === "finding_share" ? (
              <FindingSelect
                projectId={projectId}
                size="sm"
                label="Finding"
                required
                placeholder="Choose"
                nothingFoundMessage="None of the Findings with the most conversations"
                error={form.errors.findingId}
                value={values.findingId || null}
                onChange={(id, title) => form.setValues(withFinding(values, id, title))}
              />
            ) : null}
            {changes ? (
              <SegmentedControl<AlertCondition>
                aria-label="Condition"
                data={CONDITIONS}
                value={values.condition}
                onChange={(condition) => form.setValues(withMeasure(values, values.measure, condition))}
              />
            ) : null}
            <LimitFields form={form} />
          </Stack>
          <AlertPreview projectId={projectId} values={values} />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
          <TextInput label="Name" required maxLength={120} placeholder="Calls fail" {...form.getInputProps("name")} />
          <MultiSelect
            label="Webhooks and Slack"
            placeholder={webhooks.length === 0 ? "None is connected: add one under Integrations" : "Choose"}
            data={[...webhooks]}
            disabled={webhooks.length === 0}
            clearable
            {...form.getInputProps("connectionIds")}
          />
        </SimpleGrid>
        <Group justify="space-between" align="flex-start">
          <Checkbox
            label="E-mail to every member"
            description={sendsMail ? undefined : "This installation sends no e-mail: its operator has to set SMTP_URL."}
            disabled={!sendsMail && !values.mailMembers}
            {...form.getInputProps("mailMembers", { type: "checkbox" })}
          />
          <Group gap="xs" ms="auto">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isPending}>
              {alert ? "Save alert" : "Create alert"}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
