"use client";
import { Button, Group, Modal, Stack, Switch, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Refused } from "@/app/_components/feedback/refused";
import { WhenRead } from "@/app/_components/feedback/when-read";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../../_components/access/membership";

const DESCRIPTION =
  "Members who may review can give anyone a link to a read-only copy of one conversation or one Finding, masked and for 30 days at most.";

/** Whether share links are on. Turning them off asks first when links work. */
export function ShareLinks({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const may = useMay("project:admin");
  const [asking, question] = useDisclosure(false);
  const query = useQuery(trpc.shareLinks.getSettings.queryOptions({ projectId }));
  const update = useMutation(
    trpc.shareLinks.updateSettings.mutationOptions({
      onSuccess: (reply) => queries.setQueryData(trpc.shareLinks.getSettings.queryKey({ projectId }), reply),
      onSettled: () => {
        question.close();
        return queries.invalidateQueries({ queryKey: trpc.shareLinks.pathKey() });
      },
    }),
  );
  return (
    <WhenRead query={query} loading="Loading share links" height={48}>
      {({ settings: { enabled, activeCount } }) => (
        <Stack gap="sm">
          <Switch
            checked={update.isPending ? update.variables.enabled : enabled}
            disabled={!may}
            onChange={(event) => {
              if (!event.currentTarget.checked && activeCount > 0) question.open();
              else update.mutate({ projectId, enabled: event.currentTarget.checked });
            }}
            label="Share links"
            description={`${DESCRIPTION}${may ? "" : " You can view this but not change it. Ask an owner."}`}
          />
          <Refused error={update.error} />
          <Modal opened={asking} onClose={question.close} title="Turn off share links?">
            <Text size="sm">
              {plural(activeCount, "link")} {activeCount === 1 ? "stops" : "stop"} working immediately, and what was
              copied is deleted. Turning share links on again does not bring {activeCount === 1 ? "it" : "them"} back.
            </Text>
            <Group justify="flex-end" mt="md">
              <Button variant="default" onClick={question.close}>
                Cancel
              </Button>
              <Button
                color="red"
                loading={update.isPending}
                onClick={() => update.mutate({ projectId, enabled: false })}
              >
                Turn off
              </Button>
            </Group>
          </Modal>
        </Stack>
      )}
    </WhenRead>
  );
}
