import { NativeSelect } from "@mantine/core";
import { RULES } from "./view";

type Props = {
  /** The id of a Rule, also of one that there is no more; `null` is any. */
  value: string | null;
  onChange: (rule: string | null) => void;
};

/** Which Rule. */
export const RuleSelect = ({ value, onChange }: Props) => (
  <NativeSelect
    aria-label="Rule"
    value={value ?? ""}
    onChange={(event) => onChange(event.currentTarget.value || null)}
    data={[
      { value: "", label: "Any Rule" },
      ...RULES,
      ...(value && !RULES.some((known) => known.value === value) ? [value] : []),
    ]}
  />
);
