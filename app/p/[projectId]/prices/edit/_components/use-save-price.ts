import type { UseFormReturnType } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { PriceDefinition } from "@/server/services/pricing/schemas";
import { priceHref } from "../../_components/view";
import { definitionOf, errorsOf, type PriceForm } from "./form";

type Options = {
  projectId: string;
  form: UseFormReturnType<PriceForm>;
  /** The price being edited or overridden; undefined for a new one. */
  price: PriceDefinition | undefined;
  /** The built-in price that it overrides, if any. */
  base: string | undefined;
};

/** Saves the form: a new version of the project's own price, else a new price or an override. */
export function useSavePrice({ projectId, form, price, base }: Options) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const done = {
    onSuccess: ({ model }: { model: PriceDefinition }) => {
      void queries.invalidateQueries({ queryKey: trpc.modelPrices.pathKey() });
      notifications.show({ message: `The next call of ${model.modelName} uses this price.` });
      router.push(priceHref(projectId, model.id));
    },
    onError: (error: unknown) => form.setErrors(errorsOf(problemOf(error).errors, form.getValues())),
  };
  const create = useMutation(trpc.modelPrices.create.mutationOptions(done));
  const update = useMutation(trpc.modelPrices.update.mutationOptions(done));
  const { error, isPending } = price?.editable ? update : create;
  const save = (values: PriceForm) => {
    const input = {
      projectId,
      ...definitionOf(values),
      ...(base === undefined ? {} : { baseModelPriceId: base }),
    };
    if (price?.editable) update.mutate({ ...input, modelPriceId: price.id });
    else create.mutate(input);
  };
  return { save, saving: isPending, error };
}
