"use client";
import { Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { formatCount, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { PriceForm } from "./form";
import classes from "./pattern-preview.module.css";

const DEBOUNCE_MS = 300;
const SHOWN = 8;

type Props = {
  projectId: string;
  form: PriceForm;
  /** The price being edited or overridden. */
  modelPriceId: string | undefined;
};

/** The model names of the last 90 days that a pattern would match, and which of them another price still applies to. */
export function PatternPreview({ projectId, form, modelPriceId }: Props) {
  const trpc = useTRPC();
  const [typed] = useDebouncedValue(
    { matchPattern: form.matchPattern.trim(), modelName: form.modelName.trim(), provider: form.provider },
    DEBOUNCE_MS,
  );
  const { data, error } = useQuery(
    trpc.modelPrices.previewPattern.queryOptions(
      {
        projectId,
        matchPattern: typed.matchPattern,
        provider: typed.provider,
        ...(typed.modelName === "" ? {} : { modelName: typed.modelName }),
        ...(modelPriceId === undefined ? {} : { modelPriceId }),
      },
      { enabled: typed.matchPattern !== "", placeholderData: (was) => was },
    ),
  );
  if (typed.matchPattern === "" || error || !data) return null;
  const { preview } = data;
  if (preview.error !== null) {
    return (
      <Text size="xs" c="var(--mantine-color-error)" role="status">
        {preview.error}
      </Text>
    );
  }
  const caught = preview.models.length + preview.modelsLeftOut;
  return (
    <div role="status" aria-label="Names in use that it matches">
      <Text size="xs" c="dimmed">
        {preview.seen === 0
          ? "No model has been called in the last 90 days."
          : `Matches ${formatCount(caught)} of ${plural(preview.seen, "name")} seen in the last 90 days.`}
      </Text>
      {caught === 0 ? null : (
        <ul className={classes.names}>
          {preview.models.slice(0, SHOWN).map(({ model, provider, calls, wins, pricedBy }) => (
            <li key={`${provider} ${model}`}>
              <span className="mono">{model}</span>
              <span className={classes.dim}>
                {plural(calls, "call")}
                {wins
                  ? pricedBy === null
                    ? ", without a price so far"
                    : ""
                  : `, stays with ${pricedBy ?? "another price"}`}
              </span>
            </li>
          ))}
          {caught > SHOWN ? <li className={classes.dim}>and {formatCount(caught - SHOWN)} more</li> : null}
        </ul>
      )}
    </div>
  );
}
