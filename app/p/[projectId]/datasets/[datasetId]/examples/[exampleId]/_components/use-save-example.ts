import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { fieldProblem, problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Example } from "@/server/services/datasets/examples/schemas";
import type { ErrorsAt } from "../../../../_components/payload/errors-at";
import { useRefresh } from "../../../../_components/use-refresh";
import { exampleHref } from "../../../../_components/view";
import { type Draft, exampleOf, problemsAt } from "./draft";

/** The field for which the server reports that somebody else changed the Example; it is not a field of the form. */
const CHANGED_SINCE = "/expectedUpdatedAt";

type Options = {
  projectId: string;
  datasetId: string;
  /** `null` for a new one. */
  example: Pick<Example, "id" | "updatedAt"> | null;
  onErrors: (errors: ErrorsAt) => void;
  onSaved: () => void;
};

/** Creates an Example and opens its page, or saves an existing one. */
export function useSaveExample({ projectId, datasetId, example: opened, onErrors, onSaved }: Options) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const onSettled = useRefresh();
  // From the version that the draft is based on: a newer one may have been loaded since.
  const [expectedUpdatedAt, setExpectedUpdatedAt] = useState(opened?.updatedAt);
  const create = useMutation(trpc.examples.create.mutationOptions({ onSettled }));
  const update = useMutation(trpc.examples.update.mutationOptions({ onSettled }));
  const catchUp = useMutation({
    mutationFn: (exampleId: string) =>
      queries.fetchQuery(trpc.examples.get.queryOptions({ projectId, datasetId, exampleId }, { staleTime: 0 })),
    onSuccess: ({ example }) => {
      setExpectedUpdatedAt(example.updatedAt);
      update.reset();
    },
  });
  const save = (draft: Draft, expected = expectedUpdatedAt) => {
    const input = { projectId, datasetId, ...exampleOf(draft) };
    const onError = (error: unknown) =>
      onErrors(
        problemsAt(
          draft,
          problemOf(error).errors.filter(({ path }) => path !== CHANGED_SINCE),
        ),
      );
    catchUp.reset();
    if (opened === null) {
      create.mutate(input, {
        onError,
        onSuccess: ({ example }) => {
          notifications.show({ message: "Created the Example" });
          onSaved();
          router.replace(exampleHref(projectId, datasetId, example.id));
        },
      });
    } else {
      update.mutate(
        { ...input, exampleId: opened.id, expectedUpdatedAt: expected },
        {
          onError,
          onSuccess: ({ example }) => {
            setExpectedUpdatedAt(example.updatedAt);
            notifications.show({ message: "Saved the Example" });
            onSaved();
          },
        },
      );
    }
  };
  return {
    save,
    saving: create.isPending || update.isPending,
    error: create.error ?? update.error,
    /** A new Example has been stored, and its page is opening. */
    saved: create.isSuccess,
    /** The save was refused because somebody else changed the Example. */
    isOutdated: fieldProblem(update.error, CHANGED_SINCE) !== null,
    /** Loads the newest version; from then on, saving changes that one. */
    catchUp: (then: (newest: Example) => void) =>
      opened && catchUp.mutate(opened.id, { onSuccess: ({ example }) => then(example) }),
    catchingUp: catchUp.isPending,
    catchUpError: catchUp.error,
  };
}
