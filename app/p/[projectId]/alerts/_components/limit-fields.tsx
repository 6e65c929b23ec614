import { NumberInput, SimpleGrid, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { MEASURES } from "@/server/services/notifications/alerts/schemas";
import type { FormValues } from "./form-values";
import { unitOf } from "./units";

/** The limit, and of how many calls in how much time it is. */
export function LimitFields({ form }: { form: UseFormReturnType<FormValues> }) {
  const { values } = form;
  const { counts, period } = MEASURES[values.measure];
  const unit = unitOf(values.measure, values.condition);
  return (
    <>
      <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm" style={{ alignItems: "end" }}>
        <NumberInput
          label={values.condition === "change" ? "Above usual by" : "Fires at"}
          required
          min={0}
          decimalScale={6}
          hideControls
          prefix={unit.prefix ?? ""}
          suffix={unit.suffix ?? ""}
          {...form.getInputProps("limit")}
        />
        {period === "window" || values.condition === "change" ? (
          <NumberInput
            label="Over the last"
            required
            allowDecimal={false}
            hideControls
            suffix=" min"
            {...form.getInputProps("windowMinutes")}
          />
        ) : null}
        {counts ? (
          <NumberInput
            label={`Minimum ${counts}`}
            required
            min={0}
            allowDecimal={false}
            hideControls
            {...form.getInputProps("minCount")}
          />
        ) : null}
      </SimpleGrid>
      {values.condition === "change" ? (
        <Text size="xs" c="dimmed">
          The usual is the median of the same time on the same weekday of the last 4 weeks.
        </Text>
      ) : null}
    </>
  );
}
