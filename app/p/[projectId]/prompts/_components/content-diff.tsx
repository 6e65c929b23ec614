import { Stack, Text } from "@mantine/core";
import type { PromptContent } from "@/server/services/prompts/schemas";
import { WordDiff } from "../../datasets/_components/diff/word-diff";
import { ROLE_WORDS } from "./words";

type Props = { before: PromptContent; after: PromptContent };

const messagesOf = (content: PromptContent) =>
  typeof content === "string"
    ? [{ title: "Text", content }]
    : content.map((one) => ({ title: ROLE_WORDS[one.role], content: one.content }));

/** Two versions merged into one, with removed and added words marked; messages of a chat by their place. */
export function ContentDiff({ before, after }: Props) {
  const [old, now] = [messagesOf(before), messagesOf(after)];
  const places = Array.from({ length: Math.max(old.length, now.length) }, (_, at) => [old[at], now[at]] as const);
  if (typeof before === "string" && typeof after === "string") return <WordDiff before={before} after={after} />;
  return (
    <Stack gap="sm">
      {places.map(([was, is], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message is its place
        <div key={at}>
          <Text size="xs" c="dimmed" mb={2}>
            {was && is && was.title !== is.title ? (
              <>
                <del>{was.title}</del> <ins>{is.title}</ins>
              </>
            ) : (
              (is ?? was)?.title
            )}
          </Text>
          <WordDiff before={was?.content ?? ""} after={is?.content ?? ""} />
        </div>
      ))}
    </Stack>
  );
}
