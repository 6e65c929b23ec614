import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import dayjs from "dayjs";
import { useTRPC } from "@/app/_lib/trpc/client";
import { definitionOf, formFaults, type PriceForm } from "./form";
import { isCount, type UsageRow } from "./usage-rows";

const DEBOUNCE_MS = 300;

/** The price that the form's would replace. */
export type Draft = { modelPriceId?: string; baseModelPriceId?: string };

type Options = {
  projectId: string;
  form: PriceForm;
  draft: Draft;
  model: string;
  rows: readonly UsageRow[];
  /** The time of the call; `null` means now. */
  moment: string | null;
};

/** Returns a call's cost at stored prices, and at the form's. */
export function useEstimates({ projectId, form, draft, model, rows, moment }: Options) {
  const trpc = useTRPC();
  const [values] = useDebouncedValue(form, DEBOUNCE_MS);
  const [debounced] = useDebouncedValue({ model: model.trim(), rows }, DEBOUNCE_MS);
  const usage = Object.fromEntries(
    debounced.rows
      .filter(({ bucket, count }) => bucket.trim() !== "" && isCount(count))
      .map(({ bucket, count }) => [bucket.trim(), Number(count)]),
  );
  const hasFaults = Object.keys(formFaults(values)).length > 0;
  const call = {
    projectId,
    model: debounced.model,
    provider: values.provider === "external" ? null : values.provider,
    usage,
    ...(moment === null ? {} : { at: dayjs(moment).valueOf() }),
  };
  const enabled = debounced.model !== "";
  const today = useQuery(trpc.modelPrices.estimate.queryOptions(call, { enabled, placeholderData: (was) => was }));
  const then = useQuery(
    trpc.modelPrices.estimate.queryOptions(
      { ...call, ...(hasFaults ? {} : { draft: { ...definitionOf(values), ...draft } }) },
      { enabled: enabled && !hasFaults, placeholderData: (was) => was, retry: false },
    ),
  );
  return { today, then, enabled, hasFaults };
}
