import { Group, NativeSelect, NumberInput, Stack, TagsInput, TextInput } from "@mantine/core";
import type { Draft } from "./draft";

type Props = { draft: Draft; disabled: boolean; onChange: (change: Partial<Draft>) => void };

/** Keywords, thresholds, adjudication and sampling of a Rule. */
export const SettingsForm = ({ draft, disabled, onChange }: Props) => (
  <Stack gap="md" maw={720}>
    <TagsInput
      label="Keywords"
      description="Your own words for this Rule: whole words, in any language, case-insensitive. Press Enter after each."
      placeholder={draft.keywords.length === 0 ? "refund, chargeback…" : ""}
      value={draft.keywords}
      disabled={disabled}
      onChange={(keywords) => onChange({ keywords })}
    />
    <Group gap="md" align="flex-start">
      <Share
        label="Minimum score"
        description="Signals with a lower score of their detector are dropped."
        value={draft.minSignalScore}
        disabled={disabled}
        onChange={(minSignalScore) => onChange({ minSignalScore })}
      />
      <Share
        label="Minimum confidence"
        description="Signals that are less likely to be right are dropped."
        value={draft.minDiagnosticConfidence}
        disabled={disabled}
        onChange={(minDiagnosticConfidence) => onChange({ minDiagnosticConfidence })}
      />
      <Share
        label="Sample"
        description="Share of new conversations that are checked automatically."
        value={draft.sampleRate}
        disabled={disabled}
        onChange={(sampleRate) => onChange({ sampleRate })}
      />
    </Group>
    <Group gap="md" align="flex-start">
      <NativeSelect
        size="sm"
        label="Ambiguous Signals"
        description="What to do with Signals that no detector can settle."
        w={280}
        value={draft.adjudicationMode}
        disabled={disabled}
        data={[
          { value: "deterministic-only", label: "Leave them out" },
          { value: "auto", label: "Ask the adjudicator" },
        ]}
        onChange={({ currentTarget: { value } }) =>
          onChange({ adjudicationMode: value === "auto" ? "auto" : "deterministic-only" })
        }
      />
      <TextInput
        label="Adjudicator's model"
        description="Leave empty for the connection’s default model."
        w={280}
        spellCheck={false}
        value={draft.adjudicationModel ?? ""}
        disabled={disabled || draft.adjudicationMode !== "auto"}
        onChange={(event) => onChange({ adjudicationModel: event.currentTarget.value.trim() || null })}
      />
    </Group>
  </Stack>
);

type ShareProps = {
  label: string;
  description: string;
  value: number;
  disabled: boolean;
  onChange: (value: number) => void;
};

const Share = ({ label, description, value, disabled, onChange }: ShareProps) => (
  <NumberInput
    label={label}
    description={description}
    w={210}
    min={0}
    max={1}
    step={0.05}
    decimalScale={3}
    clampBehavior="strict"
    value={value}
    disabled={disabled}
    onChange={(next) => typeof next === "number" && onChange(next)}
  />
);
