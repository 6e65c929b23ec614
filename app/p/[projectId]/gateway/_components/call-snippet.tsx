import { Code, Stack, Text } from "@mantine/core";
import { CopyButton } from "@/app/_components/controls/copy-button";
import { ScrollPre } from "@/app/_components/layout/scroll-pre";
import classes from "./gateway.module.css";

const snippetOf = (origin: string, model: string) => `curl -sS ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer $OPENAI_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ model, messages: [{ role: "user", content: "Say hello." }] })}'
`;

/** A command that calls a model. */
export function CallSnippet({ origin, model }: { origin: string; model: string }) {
  const text = snippetOf(origin, model);
  return (
    <Stack gap="xs">
      <Text size="sm">
        Any OpenAI client calls it, with the base URL <Code>{origin}/v1</Code> and a key of the project that may call
        models.
      </Text>
      <ScrollPre label="Snippet: curl" className={classes.snippet}>
        {text}
      </ScrollPre>
      <div>
        <CopyButton value={text} label="Copy curl" withText />
      </div>
    </Stack>
  );
}
