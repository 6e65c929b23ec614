import { Stack, Text } from "@mantine/core";
import type { PromptContent } from "@/server/services/prompts/schemas";
import { ROLE_WORDS } from "../../_components/words";
import classes from "./prompt.module.css";

const VARIABLE = /(\{\{\s*[A-Za-z_][A-Za-z0-9_]*\s*\}\})/;

/** Text with its variables marked. */
const Marked = ({ text }: { text: string }) => (
  <div className={classes.content} dir="auto">
    {text.split(VARIABLE).map((part, at) =>
      at % 2 === 1 ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text keep their order
        <span key={at} className={classes.variable}>
          {part}
        </span>
      ) : (
        part
      ),
    )}
  </div>
);

/** What a version says. */
export function PromptContentView({ content }: { content: PromptContent }) {
  if (typeof content === "string") return <Marked text={content} />;
  return (
    <Stack gap="xs">
      {content.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message is its place
        <div key={at}>
          <Text size="xs" c="dimmed" mb={2}>
            {ROLE_WORDS[one.role]}
          </Text>
          <Marked text={one.content} />
        </div>
      ))}
    </Stack>
  );
}
