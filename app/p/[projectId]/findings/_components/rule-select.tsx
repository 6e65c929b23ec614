import { NativeSelect } from "@mantine/core";
import { RULE_OPTIONS } from "../../_components/findings/rule-words";

type Props = {
  /** A Rule's id, possibly of one that no longer exists; `null` means any. */
  value: string | null;
  onChange: (rule: string | null) => void;
};

/** Chooses a Rule. */
export const RuleSelect = ({ value, onChange }: Props) => (
  <NativeSelect
    aria-label="Rule"
    value={value ?? ""}
    onChange={(event) => onChange(event.currentTarget.value || null)}
    data={[
      { value: "", label: "Any Rule" },
      ...RULE_OPTIONS,
      ...(value && !RULE_OPTIONS.some((known) => known.value === value) ? [value] : []),
    ]}
  />
);
