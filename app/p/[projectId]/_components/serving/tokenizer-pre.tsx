import { TextInput } from "@mantine/core";

type Props = { value: string; onChange: (value: string) => void; problem: string | null | undefined };

/** llama.cpp's name of the pre-tokenizer, for a tokenizer that its converter does not recognise. */
export const TokenizerPre = ({ value, onChange, problem }: Props) => (
  <TextInput
    size="sm"
    label="Pre-tokenizer"
    description="Only if llama.cpp does not recognise the tokenizer: its name for it, such as qwen2."
    maw={420}
    maxLength={64}
    autoCapitalize="off"
    spellCheck={false}
    value={value}
    error={problem}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);
