import { ActionIcon, Button, Group, NativeSelect, Stack, Textarea, Tooltip } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { PROMPT_ROLES, type PromptContent } from "@/server/services/prompts/schemas";
import { ROLE_WORDS } from "./words";

type Props = {
  content: PromptContent;
  onChange: (content: PromptContent) => void;
  /** Says what is missing. */
  tried: boolean;
};

const CHARACTERS_MAX = 100_000;
const ROLES = PROMPT_ROLES.map((value) => ({ value, label: ROLE_WORDS[value] }));
const missing = (text: string, tried: boolean) => (tried && text.trim() === "" ? "Write something." : null);

/** Edits a text, or the messages of a chat. */
export function ContentFields({ content, onChange, tried }: Props) {
  if (typeof content === "string")
    return (
      <Textarea
        label="Text"
        required
        autosize
        minRows={6}
        maxRows={20}
        maxLength={CHARACTERS_MAX}
        value={content}
        error={missing(content, tried)}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  const change = (at: number, patch: Partial<(typeof content)[number]>) =>
    onChange(content.map((one, index) => (index === at ? { ...one, ...patch } : one)));
  return (
    <Stack gap="sm">
      {content.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message is its place
        <Stack key={at} gap={4} component="fieldset" bd={0} p={0} m={0} aria-label={`Message ${at + 1}`}>
          <Group justify="space-between">
            <NativeSelect
              size="xs"
              aria-label={`Role of message ${at + 1}`}
              data={ROLES}
              value={one.role}
              onChange={({ currentTarget }) =>
                change(at, { role: PROMPT_ROLES.find((role) => role === currentTarget.value) ?? "user" })
              }
            />
            {content.length > 1 ? (
              <Tooltip label={`Remove message ${at + 1}`}>
                <ActionIcon
                  aria-label={`Remove message ${at + 1}`}
                  onClick={() => onChange(content.filter((_, index) => index !== at))}
                >
                  <IconTrash size={14} aria-hidden />
                </ActionIcon>
              </Tooltip>
            ) : null}
          </Group>
          <Textarea
            aria-label={`Text of message ${at + 1}`}
            autosize
            minRows={3}
            maxRows={16}
            maxLength={CHARACTERS_MAX}
            value={one.content}
            error={missing(one.content, tried)}
            onChange={({ currentTarget }) => change(at, { content: currentTarget.value })}
          />
        </Stack>
      ))}
      <div>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...content, { role: "user", content: "" }])}
        >
          Add message
        </Button>
      </div>
    </Stack>
  );
}
