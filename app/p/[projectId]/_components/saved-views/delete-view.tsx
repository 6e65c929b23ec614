import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { Refused } from "@/app/_components/feedback/refused";
import type { SavedView } from "@/server/services/saved-views/schemas";

type Props = {
  view: SavedView | undefined;
  opened: boolean;
  deleting: boolean;
  error: unknown;
  onDelete: () => void;
  onClose: () => void;
};

export const DeleteView = ({ view, opened, deleting, error, onDelete, onClose }: Props) => (
  <Modal opened={opened} onClose={onClose} title={`Delete “${view?.name ?? ""}”?`}>
    <Stack gap="md">
      <Text size="sm">
        {view?.shared ? "Everyone in the project loses this view." : "Only you have this view."} The data it shows is
        not affected.
      </Text>
      <Refused error={error} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          Keep it
        </Button>
        <Button color="red" loading={deleting} onClick={onDelete}>
          Delete view
        </Button>
      </Group>
    </Stack>
  </Modal>
);
