"use client";
import { Checkbox, Text } from "@mantine/core";
import { COMPRESSED_QUANTIZATIONS, GGUF_QUANTIZATIONS } from "@/server/services/training/settings/schemas";
import { PlannedExportFields } from "../../../_components/serving/planned-export";
import { type Missing, missingFor } from "./abilities";
import type { Draft, Part, SetDraft, Settings } from "./draft";
import classes from "./new-training.module.css";
import { ADVANCED, BASIC, type SettingField } from "./setting-fields";
import { SettingInput } from "./setting-input";
import type { StepProps } from "./step-props";

/** Changes settings from their defaults, and chooses what to build at the end. */
export function SettingsStep({ projectId, draft, setDraft, trainers }: StepProps) {
  const changed = ADVANCED.some(({ part, name }) => settingAt(draft.settings, part, name) !== undefined);
  return (
    <div className={classes.content}>
      <Text size="sm" c="dimmed">
        Leave a field empty to use its default. Where a default depends on the Examples, the model or the memory, the
        next step shows what the trainer chose.
      </Text>
      <Fields fields={BASIC} draft={draft} setDraft={setDraft} />
      <details open={changed || undefined}>
        <summary style={{ cursor: "pointer", marginBlockEnd: 12 }}>Advanced settings</summary>
        <Fields fields={ADVANCED} draft={draft} setDraft={setDraft} />
      </details>
      <Outputs draft={draft} setDraft={setDraft} trainers={trainers} />
      <div>
        <h2 className={classes.heading}>Publication</h2>
        <PlannedExportFields
          projectId={projectId}
          value={draft.settings.output?.export}
          onChange={(value) => setDraft({ settings: withSetting(draft.settings, "output", "export", value) })}
        />
      </div>
    </div>
  );
}

const settingAt = (settings: Settings, part: Part, name: string): unknown =>
  (settings[part] as Record<string, unknown> | undefined)?.[name];

/** Returns settings with one changed; `undefined` is its default, and a part without settings is left out. */
export function withSetting(settings: Settings, part: Part, name: string, value: unknown): Settings {
  const { [part]: old, ...others } = settings;
  const { [name]: _, ...rest } = (old ?? {}) as Record<string, unknown>;
  const next = value === undefined ? rest : { ...rest, [name]: value };
  return Object.keys(next).length === 0 ? others : { ...others, [part]: next };
}

type FieldsProps = { fields: readonly SettingField[]; draft: Draft; setDraft: SetDraft };

const Fields = ({ fields, draft, setDraft }: FieldsProps) => (
  <div className={classes.grid}>
    {fields
      .filter(({ when }) => when?.(draft) ?? true)
      .map((field) => (
        <SettingInput
          key={`${field.part}.${field.name}`}
          field={field}
          of={draft}
          value={settingAt(draft.settings, field.part, field.name)}
          onChange={(value) => setDraft({ settings: withSetting(draft.settings, field.part, field.name, value) })}
        />
      ))}
  </div>
);

/** What to build from the last checkpoint, in addition to its own files. */
function Outputs({ draft, setDraft, trainers }: Pick<StepProps, "draft" | "setDraft" | "trainers">) {
  const output = draft.settings.output ?? {};
  const gguf = output.ggufQuantizations ?? [];
  const compressed = output.compressedQuantizations ?? [];
  const set = (next: { gguf?: typeof gguf; compressed?: typeof compressed }) => {
    const [ggufQuantizations, compressedQuantizations] = [next.gguf ?? gguf, next.compressed ?? compressed];
    const { output: _, ...others } = draft.settings;
    const { formats: _formats, ggufQuantizations: _gguf, compressedQuantizations: _compressed, ...rest } = output;
    const built =
      ggufQuantizations.length + compressedQuantizations.length === 0
        ? {}
        : {
            formats:
              ggufQuantizations.length > 0 ? ["safetensors" as const, "gguf" as const] : ["safetensors" as const],
            ggufQuantizations,
            compressedQuantizations,
          };
    const changed = { ...rest, ...built };
    setDraft({ settings: Object.keys(changed).length === 0 ? others : { ...others, output: changed } });
  };
  return (
    <div>
      <h2 className={classes.heading}>Files</h2>
      <Text size="sm" c="dimmed" mb="sm">
        Checkpoints are always saved as safetensors. Other formats are built from the best one at the end.
      </Text>
      <div className={classes.cards}>
        <Forms
          label="GGUF, for llama.cpp and Ollama"
          values={GGUF_QUANTIZATIONS}
          chosen={gguf}
          missing={(value) => [
            ...missingFor(trainers, "formats", "gguf"),
            ...missingFor(trainers, "ggufQuantizations", value),
          ]}
          onChange={(next) => set({ gguf: next })}
        />
        <Forms
          label="Compressed, for vLLM"
          values={COMPRESSED_QUANTIZATIONS}
          chosen={compressed}
          missing={(value) => missingFor(trainers, "compressedQuantizations", value)}
          onChange={(next) => set({ compressed: next })}
        />
      </div>
    </div>
  );
}

type FormsProps<Value extends string> = {
  label: string;
  values: readonly Value[];
  chosen: readonly Value[];
  missing: (value: Value) => readonly Missing[];
  onChange: (chosen: Value[]) => void;
};

function Forms<Value extends string>({ label, values, chosen, missing, onChange }: FormsProps<Value>) {
  const byReason = new Map<string, Value[]>();
  const options = values.map((value) => {
    const why = missing(value);
    for (const { trainer, reason, hint } of why) {
      const said = `Not on “${trainer}”: ${reason} ${hint ?? ""}`.trim();
      byReason.set(said, [...(byReason.get(said) ?? []), value]);
    }
    return { value, disabled: why.length > 0 };
  });
  return (
    <Checkbox.Group
      label={label}
      value={[...chosen]}
      onChange={(next) => onChange(values.filter((value) => next.includes(value)))}
    >
      <div
        style={{ display: "grid", gridTemplateColumns: "repeat(auto-fill, minmax(7rem, 1fr))", gap: 8, marginBlock: 8 }}
      >
        {options.map(({ value, disabled }) => (
          <Checkbox
            key={value}
            size="xs"
            value={value}
            disabled={disabled}
            label={<span className="mono">{value}</span>}
          />
        ))}
      </div>
      {[...byReason].map(([said, without]) => (
        <Text key={said} size="xs" c="dimmed">
          <span className="mono">{without.length === values.length ? "" : without.join(", ")}</span> {said}
        </Text>
      ))}
    </Checkbox.Group>
  );
}
