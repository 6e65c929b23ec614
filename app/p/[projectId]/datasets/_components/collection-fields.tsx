import { Checkbox, NativeSelect, Stack } from "@mantine/core";
import type { Dataset } from "@/server/services/datasets/datasets/schemas";
import { AskModel } from "./ask-model";
import { CollectionPreview } from "./collection/collection-preview";
import { LimitToGoals } from "./limit-to-goals";
import { OBJECTIVE_VALUES, OBJECTIVES, type Objective } from "./words";

/** What a Dataset collects, while it is edited. */
export type CollectionForm = {
  objective: Objective | "";
  /** The Knowledge goals that `teach_project_knowledge` is limited to; `null` means every goal, an empty list none. */
  goalIds: string[] | null;
  collecting: boolean;
  review: boolean;
  /** Whether the connected model is asked for better answers. */
  asksModel: boolean;
};

export const EMPTY_COLLECTION_FORM: CollectionForm = {
  objective: "",
  goalIds: null,
  collecting: false,
  review: true,
  asksModel: false,
};

export const collectionFormOf = (dataset: Dataset): CollectionForm => ({
  objective: dataset.collectionObjective ?? "",
  goalIds: dataset.collectionFilters.knowledgeGoalIds ?? null,
  collecting: dataset.collectionEnabled,
  review: dataset.collectionReview,
  asksModel: dataset.collectionAsksModel,
});

const filtersOf = ({ goalIds }: Pick<CollectionForm, "goalIds">): Dataset["collectionFilters"] =>
  goalIds === null ? {} : { knowledgeGoalIds: goalIds };

/** Returns the fields to send. Without an objective there is nothing to collect. */
export const collectionOf = ({ objective, collecting, review, asksModel, ...form }: CollectionForm) => ({
  collectionObjective: objective === "" ? null : objective,
  collectionFilters: filtersOf(form),
  collectionEnabled: objective !== "" && collecting,
  collectionReview: review,
  collectionAsksModel: objective === "correct_failed_conversations" && asksModel,
});

type Props = {
  projectId: string;
  value: CollectionForm;
  onChange: (patch: Partial<CollectionForm>) => void;
  disabled?: boolean;
};

/** Chooses what a Dataset collects, whether it does so by itself, and whether results are reviewed; previews the results. */
export const CollectionFields = ({ projectId, value, onChange, disabled = false }: Props) => {
  const { objective, goalIds, collecting, review, asksModel } = value;
  return (
    <Stack gap="sm">
      <NativeSelect
        size="sm"
        label="Objective"
        description={
          objective === ""
            ? "What it collects from conversations. Without one, you fill it by hand or by import."
            : OBJECTIVES[objective].description
        }
        disabled={disabled}
        value={objective}
        onChange={({ currentTarget }) =>
          onChange({ objective: OBJECTIVE_VALUES.find((known) => known === currentTarget.value) ?? "" })
        }
        data={[
          { value: "", label: "None" },
          ...OBJECTIVE_VALUES.map((known) => ({ value: known, label: OBJECTIVES[known].name })),
        ]}
      />
      {objective === "teach_project_knowledge" ? (
        <LimitToGoals
          projectId={projectId}
          value={goalIds}
          onChange={(chosen) => onChange({ goalIds: chosen })}
          disabled={disabled}
        />
      ) : null}
      {objective === "" ? null : (
        <>
          <Checkbox
            label="Collect automatically"
            description="Checks each conversation once it is inactive."
            disabled={disabled}
            checked={collecting}
            onChange={({ currentTarget }) => onChange({ collecting: currentTarget.checked })}
          />
          <Checkbox
            label="Review before adding"
            description="Collected Examples wait until someone approves them. Otherwise they are added immediately."
            disabled={disabled}
            checked={review}
            onChange={({ currentTarget }) => onChange({ review: currentTarget.checked })}
          />
          {objective === "correct_failed_conversations" ? (
            <AskModel
              projectId={projectId}
              value={asksModel}
              onChange={(asks) => onChange({ asksModel: asks })}
              disabled={disabled}
            />
          ) : null}
          <CollectionPreview
            projectId={projectId}
            objective={objective}
            collectionFilters={filtersOf(value)}
            asksModel={collectionOf(value).collectionAsksModel}
          />
        </>
      )}
    </Stack>
  );
};
