import { Code, Stack, Text } from "@mantine/core";
import { Snippet } from "@/app/_components/values/snippet";

const snippetOf = (origin: string, model: string) => `curl -sS ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer $OPENAI_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ model, messages: [{ role: "user", content: "Say hello." }] })}'
`;

/** A command that calls a model. */
export function CallSnippet({ origin, model }: { origin: string; model: string }) {
  return (
    <Stack gap="xs">
      <Text size="sm">
        Any OpenAI client calls it, with the base URL <Code>{origin}/v1</Code> and a key of the project that may call
        models.
      </Text>
      <Snippet name="curl" text={snippetOf(origin, model)} />
    </Stack>
  );
}
