import { Anchor, Checkbox, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTRPC } from "@/app/_lib/trpc/client";

type Props = { projectId: string; value: boolean; onChange: (value: boolean) => void; disabled: boolean };

/** Lets a Dataset ask the project's adjudicator for better answers, and tells the reader if there is no adjudicator. */
export function AskModel({ projectId, value, onChange, disabled }: Props) {
  const trpc = useTRPC();
  const settings = useQuery(trpc.diagnosticSettings.get.queryOptions({ projectId }));
  return (
    <>
      <Checkbox
        label="Ask the connected model for better answers"
        description="Used when no person has given one. Sends the conversation to the adjudicator’s model, within that connection’s daily limits. Model proposals are marked and always wait for review."
        disabled={disabled}
        checked={value}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {value && settings.data && settings.data.adjudicator === null ? (
        <Text size="sm">
          This project uses no adjudicator, so no model is asked.{" "}
          <Anchor component={Link} underline="always" href={`/p/${projectId}/settings`}>
            Choose one in Settings
          </Anchor>
        </Text>
      ) : null}
    </>
  );
}
