import { ActionIcon, Textarea, TextInput } from "@mantine/core";
import { IconTool, IconTrash } from "@tabler/icons-react";
import type { ErrorsAt } from "./errors-at";
import { FieldProblem } from "./field-problem";
import classes from "./payload.module.css";
import { type CallForm, jsonFault } from "./payload-form";

type Props = {
  call: CallForm;
  /** The accessible name. */
  name: string;
  at: string;
  errors: ErrorsAt;
  disabled: boolean;
  onChange: (patch: Partial<CallForm>) => void;
  onRemove: () => void;
};

/** One tool call: the tool, the arguments as the model wrote them, and the id that its result refers to. */
export function ToolCallFields({ call, name, at, errors, disabled, onChange, onRemove }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a grid everywhere
    <div role="group" aria-label={name} className={classes.call}>
      <div className={classes.callHead}>
        <IconTool size={14} aria-hidden className={classes.callIcon} />
        <TextInput
          size="xs"
          label="Tool"
          placeholder="find_order"
          spellCheck={false}
          disabled={disabled}
          classNames={{ input: classes.mono }}
          value={call.name}
          error={errors[`${at}/function/name`]}
          onChange={({ currentTarget: { value } }) => onChange({ name: value })}
        />
        <TextInput
          size="xs"
          label="Call ID"
          spellCheck={false}
          disabled={disabled}
          classNames={{ input: classes.mono }}
          value={call.id}
          error={errors[`${at}/id`]}
          onChange={({ currentTarget: { value } }) => onChange({ id: value })}
        />
        {disabled ? null : (
          <ActionIcon
            size="sm"
            mt={26}
            aria-label={`Remove ${name[0]?.toLowerCase()}${name.slice(1)}`}
            onClick={onRemove}
          >
            <IconTrash size={14} aria-hidden />
          </ActionIcon>
        )}
      </div>
      <FieldProblem says={errors[at]} />
      <Textarea
        size="xs"
        label="Arguments, as JSON"
        autosize
        minRows={1}
        maxRows={16}
        spellCheck={false}
        disabled={disabled}
        classNames={{ input: classes.code, error: classes.error }}
        value={call.arguments}
        error={jsonFault(call.arguments) ?? errors[`${at}/function/arguments`]}
        onChange={({ currentTarget: { value } }) => onChange({ arguments: value })}
      />
    </div>
  );
}
