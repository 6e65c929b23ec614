import { NativeSelect, SimpleGrid, Stack, TagsInput, Textarea, TextInput } from "@mantine/core";
import { CRITERIA_MAX, type OwnDefinition } from "@/server/services/diagnostics/own-rules/schemas";
import { SEVERITY_OPTIONS, severityNamed } from "../../../_components/findings/severity-words";

type Props = { draft: OwnDefinition; disabled: boolean; onChange: (change: Partial<OwnDefinition>) => void };

/** What is wrong, when it applies, and how sure the model must be. */
export const DescribeForm = ({ draft, disabled, onChange }: Props) => (
  <Stack gap="md" maw={720}>
    <Textarea
      label="What is wrong"
      description="One problem that a conversation either shows or does not."
      placeholder="Promises a delivery date without calling track_parcel."
      required
      autosize
      minRows={2}
      maxLength={1000}
      value={draft.problem}
      disabled={disabled}
      onChange={(event) => onChange({ problem: event.currentTarget.value })}
    />
    <Textarea
      label="When it applies"
      description="Leave empty for any conversation."
      placeholder="The user asks where a parcel is."
      autosize
      minRows={1}
      maxLength={1000}
      value={draft.appliesWhen ?? ""}
      disabled={disabled}
      onChange={(event) => onChange({ appliesWhen: event.currentTarget.value || null })}
    />
    <TagsInput
      label="Facts that must hold"
      description={`Up to ${CRITERIA_MAX} statements that a reader can check. Press Enter after each.`}
      placeholder={draft.criteria.length === 0 ? "The assistant names a day." : ""}
      maxTags={CRITERIA_MAX}
      splitChars={[]}
      value={draft.criteria}
      disabled={disabled}
      onChange={(criteria) => onChange({ criteria })}
    />
    <TextInput
      label="Name"
      description="The title of its Finding."
      placeholder="Unchecked delivery date"
      required
      maxLength={80}
      value={draft.name}
      disabled={disabled}
      onChange={(event) => onChange({ name: event.currentTarget.value })}
    />
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <NativeSelect
        size="sm"
        label="Severity"
        description="Of its Finding."
        data={SEVERITY_OPTIONS}
        value={draft.severity}
        disabled={disabled}
        onChange={(event) => onChange({ severity: severityNamed(event.currentTarget.value) ?? draft.severity })}
      />
      <NativeSelect
        size="sm"
        label="Questions"
        description="Each is asked only after a yes."
        data={ASKS}
        value={String(draft.asks)}
        disabled={disabled}
        onChange={(event) => onChange({ asks: Number(event.currentTarget.value) })}
      />
    </SimpleGrid>
  </Stack>
);

const ASKS = [
  { value: "0", label: "None: the filter decides" },
  { value: "1", label: "One: finds most, is often wrong" },
  { value: "2", label: "Two different ones" },
  { value: "3", label: "Three different ones: seldom wrong" },
];
