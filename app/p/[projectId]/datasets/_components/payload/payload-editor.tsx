import { Button, Group, Menu, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { IconChevronDown, IconPlus } from "@tabler/icons-react";
import { useCallback } from "react";
import type { ChatRole } from "@/server/services/datasets/chat-payload/schemas";
import type { ErrorsAt } from "./errors-at";
import { FieldProblem } from "./field-problem";
import { MessageCard, type MessageChange } from "./message-card";
import { callIdsBefore, nextMessage, ROLE_WORDS } from "./message-order";
import classes from "./payload.module.css";
import { emptyMessage, type MessageForm, type PayloadForm } from "./payload-form";

type Props = {
  form: PayloadForm;
  onChange: (update: (form: PayloadForm) => PayloadForm) => void;
  errors: ErrorsAt;
  disabled?: boolean;
};

const moved = (messages: readonly MessageForm[], from: number, by: number) => {
  const next = [...messages];
  const [message] = next.splice(from, 1);
  if (message) next.splice(from + by, 0, message);
  return next;
};

/** Edits a payload of `chat/v1`: the conversation so far, the tools, and the answers. */
export function PayloadEditor({ form, onChange, errors, disabled = false }: Props) {
  const { messages, expected, rejected } = form;
  const changeMessages = useCallback(
    (update: (messages: MessageForm[]) => MessageForm[]) =>
      onChange((before) => ({ ...before, messages: update(before.messages) })),
    [onChange],
  );
  const changeMessage = useCallback<MessageChange>(
    (key, patch) =>
      changeMessages((all) => all.map((message) => (message.key === key ? { ...message, ...patch } : message))),
    [changeMessages],
  );
  const moveMessage = useCallback(
    (index: number, by: number) => changeMessages((all) => moved(all, index, by)),
    [changeMessages],
  );
  const removeMessage = useCallback(
    (key: string) => changeMessages((all) => all.filter((message) => message.key !== key)),
    [changeMessages],
  );
  const changeExpected = useCallback<MessageChange>(
    (_, patch) => onChange((before) => ({ ...before, expected: { ...before.expected, ...patch } })),
    [onChange],
  );
  const changeRejected = useCallback<MessageChange>(
    (_, patch) => onChange((before) => ({ ...before, rejected: before.rejected && { ...before.rejected, ...patch } })),
    [onChange],
  );
  return (
    <Stack gap="lg">
      <Part title="Input" description="The conversation up to the answer.">
        <FieldProblem says={errors["/input/messages"]} />
        <ol className={classes.messages} aria-label="Messages">
          {messages.map((message, index) => (
            <li key={message.key}>
              <MessageCard
                message={message}
                name={`Message ${index + 1}`}
                at={`/input/messages/${index}`}
                index={index}
                last={index === messages.length - 1}
                errors={errors}
                callIds={message.role === "tool" ? callIdsBefore(messages, index).join("\n") : ""}
                disabled={disabled}
                onChange={changeMessage}
                onMove={moveMessage}
                onRemove={messages.length > 1 ? removeMessage : undefined}
              />
            </li>
          ))}
        </ol>
        {disabled ? null : <AddMessage onAdd={(role) => changeMessages((all) => [...all, nextMessage(all, role)])} />}
      </Part>
      <Part title="Expected output" description="The answer to learn.">
        <MessageCard
          message={expected}
          name="Expected output"
          at="/expectedOutput/message"
          errors={errors}
          disabled={disabled}
          onChange={changeExpected}
        />
        <TextInput
          label="Weight"
          description="How much this answer counts in training, from 0 to 1. Empty counts as 1."
          inputMode="decimal"
          maw={320}
          disabled={disabled}
          value={form.weight}
          error={errors["/expectedOutput/weight"]}
          onChange={({ currentTarget: { value } }) => onChange((before) => ({ ...before, weight: value }))}
        />
      </Part>
      <Part title="Rejected output" description="A worse answer to the same input, for methods that learn from pairs.">
        {rejected === null ? (
          disabled ? (
            <Text size="sm">None</Text>
          ) : (
            <Adds onAdd={() => onChange((before) => ({ ...before, rejected: emptyMessage("assistant") }))}>
              Add a rejected output
            </Adds>
          )
        ) : (
          <MessageCard
            message={rejected}
            name="Rejected output"
            at="/rejectedOutput/message"
            errors={errors}
            disabled={disabled}
            onChange={changeRejected}
            onRemove={() => onChange((before) => ({ ...before, rejected: null }))}
          />
        )}
      </Part>
      <Part
        title="Tools"
        description="What the assistant could call: a JSON list in the format of OpenAI's chat API. Leave empty if there are none."
      >
        <Textarea
          aria-label="Tools as JSON"
          autosize
          minRows={2}
          maxRows={24}
          spellCheck={false}
          disabled={disabled}
          placeholder='[{"type": "function", "function": {"name": "find_order", "parameters": {"type": "object"}}}]'
          classNames={{ input: classes.code, error: classes.error }}
          value={form.tools}
          error={errors["/input/tools"]}
          onChange={({ currentTarget: { value } }) => onChange((before) => ({ ...before, tools: value }))}
        />
      </Part>
    </Stack>
  );
}

const Part = ({ title, description, children }: { title: string; description: string; children: React.ReactNode }) => (
  <section aria-label={title} className={classes.part}>
    <div>
      <h2 className={classes.title}>{title}</h2>
      <Text size="xs" c="dimmed">
        {description}
      </Text>
    </div>
    {children}
  </section>
);

const Adds = ({ onAdd, children }: { onAdd: () => void; children: React.ReactNode }) => (
  <div>
    <Button variant="default" leftSection={<IconPlus size={14} aria-hidden />} onClick={onAdd}>
      {children}
    </Button>
  </div>
);

const OTHERS = ["tool", "system", "developer"] as const;

const AddMessage = ({ onAdd }: { onAdd: (role: ChatRole) => void }) => (
  <Group gap="xs">
    <Adds onAdd={() => onAdd("user")}>User message</Adds>
    <Adds onAdd={() => onAdd("assistant")}>Assistant message</Adds>
    <Menu position="bottom-start">
      <Menu.Target>
        <Button variant="default" rightSection={<IconChevronDown size={12} aria-hidden />}>
          Other message
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {OTHERS.map((role) => (
          <Menu.Item key={role} onClick={() => onAdd(role)}>
            {ROLE_WORDS[role]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  </Group>
);
