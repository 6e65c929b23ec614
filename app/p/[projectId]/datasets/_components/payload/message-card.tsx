import { ActionIcon, Autocomplete, Button, Group, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconTool, IconTrash } from "@tabler/icons-react";
import { memo } from "react";
import type { ChatRole } from "@/server/services/datasets/chat-payload/schemas";
import type { ErrorsAt } from "./errors-at";
import { FieldProblem } from "./field-problem";
import { ROLE_WORDS } from "./message-order";
import classes from "./payload.module.css";
import { emptyCall, type MessageForm } from "./payload-form";
import { ToolCallFields } from "./tool-call-fields";

export type MessageChange = (key: string, patch: Partial<MessageForm>) => void;

type Props = {
  message: MessageForm;
  /** The accessible name. */
  name: string;
  /** Its JSON pointer in the payload. */
  at: string;
  /** Its position among the messages; absent for an answer, which is always an assistant's. */
  index?: number;
  last?: boolean;
  errors: ErrorsAt;
  /** Ids of the calls that a tool message may be the result of, one per line: a string, so that the card can be memoized. */
  callIds?: string;
  disabled: boolean;
  onChange: MessageChange;
  onMove?: (index: number, by: number) => void;
  onRemove?: ((key: string) => void) | undefined;
};

const ROLES = (Object.keys(ROLE_WORDS) as ChatRole[]).map((value) => ({ value, label: ROLE_WORDS[value] }));

/** One message: its role, what it says, and its tool calls. */
function Card(props: Props) {
  const { message, name, at, index, errors, callIds = "", disabled, onChange } = props;
  const { key, role, calls } = message;
  const change = (patch: Partial<MessageForm>) => onChange(key, patch);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a grid everywhere
    <div role="group" aria-label={name} className={classes.message} data-role={role}>
      <div className={classes.head}>
        {index === undefined ? (
          <span className={classes.role}>{ROLE_WORDS[role]}</span>
        ) : (
          <NativeSelect
            aria-label={`Role of ${name.toLowerCase()}`}
            data={ROLES}
            value={role}
            disabled={disabled}
            error={errors[`${at}/role`]}
            onChange={({ currentTarget: { value } }) => change(ofRole(value as ChatRole, message))}
          />
        )}
        {disabled ? null : <CardActions {...props} />}
      </div>
      <FieldProblem says={errors[at]} />
      {role === "tool" ? (
        <Autocomplete
          size="xs"
          label="Result of call"
          data={callIds === "" ? [] : callIds.split("\n")}
          disabled={disabled}
          spellCheck={false}
          classNames={{ input: classes.mono }}
          value={message.toolCallId}
          error={errors[`${at}/tool_call_id`]}
          onChange={(toolCallId) => change({ toolCallId })}
        />
      ) : null}
      <Textarea
        aria-label={`Content of ${name.toLowerCase()}`}
        autosize
        minRows={role === "tool" ? 1 : 2}
        maxRows={24}
        dir="auto"
        placeholder={calls.length > 0 ? "No text in addition to the tool calls" : "Message text"}
        disabled={disabled}
        classNames={{ input: role === "tool" ? classes.code : classes.text, error: classes.error }}
        value={message.content}
        error={errors[`${at}/content`]}
        onChange={({ currentTarget: { value } }) => change({ content: value })}
      />
      {message.name !== "" || errors[`${at}/name`] ? (
        <TextInput
          size="xs"
          label="Name"
          disabled={disabled}
          value={message.name}
          error={errors[`${at}/name`]}
          onChange={({ currentTarget: { value } }) => change({ name: value })}
        />
      ) : null}
      {role === "assistant" && index !== undefined && (!disabled || message.weight !== "") ? (
        <TextInput
          size="xs"
          label="Weight"
          description="From 0 to 1. Empty: not trained on, unless a job trains on every answer."
          inputMode="decimal"
          maw={320}
          disabled={disabled}
          value={message.weight}
          error={errors[`${at}/weight`]}
          onChange={({ currentTarget: { value } }) => change({ weight: value })}
        />
      ) : null}
      {calls.map((call, position) => (
        <ToolCallFields
          key={call.key}
          call={call}
          name={`Tool call ${position + 1} of ${name.toLowerCase()}`}
          at={`${at}/tool_calls/${position}`}
          errors={errors}
          disabled={disabled}
          onChange={(patch) =>
            change({ calls: calls.map((one) => (one.key === call.key ? { ...one, ...patch } : one)) })
          }
          onRemove={() => change({ calls: calls.filter((one) => one.key !== call.key) })}
        />
      ))}
    </div>
  );
}

/** Only an assistant calls tools; a tool's result may be empty, and content next to calls may be absent. */
const ofRole = (role: ChatRole, { calls }: MessageForm): Partial<MessageForm> => ({
  role,
  whenEmpty: role === "assistant" ? null : "",
  calls: role === "assistant" ? calls : [],
  weight: "",
});

function CardActions({ message, name, index, last, onChange, onMove, onRemove }: Props) {
  const { key, role, calls } = message;
  const said = name.toLowerCase();
  return (
    <Group gap={4} ml="auto" wrap="nowrap">
      {role === "assistant" ? (
        <Button
          variant="subtle"
          size="compact-xs"
          leftSection={<IconTool size={12} aria-hidden />}
          aria-label={`Add a tool call to ${said}`}
          onClick={() => onChange(key, { calls: [...calls, emptyCall(calls)] })}
        >
          Tool call
        </Button>
      ) : null}
      {onMove && index !== undefined ? (
        <>
          <ActionIcon size="sm" aria-label={`Move ${said} up`} disabled={index === 0} onClick={() => onMove(index, -1)}>
            <IconArrowUp size={14} aria-hidden />
          </ActionIcon>
          <ActionIcon
            size="sm"
            aria-label={`Move ${said} down`}
            disabled={last ?? false}
            onClick={() => onMove(index, 1)}
          >
            <IconArrowDown size={14} aria-hidden />
          </ActionIcon>
        </>
      ) : null}
      {onRemove ? (
        <ActionIcon size="sm" aria-label={`Remove ${said}`} onClick={() => onRemove(key)}>
          <IconTrash size={14} aria-hidden />
        </ActionIcon>
      ) : null}
    </Group>
  );
}

const errorsUnder = (errors: ErrorsAt, at: string) =>
  Object.entries(errors)
    .filter(([place]) => place === at || place.startsWith(`${at}/`))
    .join("\n");

/** Memoized: a conversation may have thousands of messages, and typing changes one. */
export const MessageCard = memo(
  Card,
  (before, after) =>
    before.message === after.message &&
    before.at === after.at &&
    before.last === after.last &&
    before.callIds === after.callIds &&
    before.disabled === after.disabled &&
    before.onChange === after.onChange &&
    before.onMove === after.onMove &&
    (before.onRemove === undefined) === (after.onRemove === undefined) &&
    (before.errors === after.errors || errorsUnder(before.errors, before.at) === errorsUnder(after.errors, after.at)),
);
