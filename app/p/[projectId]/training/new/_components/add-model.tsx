"use client";
import { Button, Checkbox, Group, Modal, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { BaseModel } from "@/server/services/models/base-models/schemas";

type Props = { projectId: string; opened: boolean; onClose: () => void; onAdded: (model: BaseModel) => void };

/** Adds a model by its id on the hub, or by its path on the trainer's machine. */
export const AddModel = (props: Props) => (
  <Modal opened={props.opened} onClose={props.onClose} title="Add model">
    <Fields {...props} />
  </Modal>
);

const COMMIT = /^[0-9a-f]{40}$/;

function Fields({ projectId, onClose, onAdded }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [source, setSource] = useState<BaseModel["source"]>("hub");
  const [id, setId] = useState("");
  const [revision, setRevision] = useState("");
  const [trust, setTrust] = useState(false);
  const add = useMutation(
    trpc.baseModels.add.mutationOptions({
      onSuccess: ({ baseModel }) => {
        void queries.invalidateQueries({ queryKey: trpc.baseModels.pathKey() });
        onAdded(baseModel);
        onClose();
      },
    }),
  );
  const pinned = COMMIT.test(revision.trim());
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate({
          projectId,
          id: id.trim(),
          source,
          ...(source === "hub" && revision.trim() !== "" ? { revision: revision.trim() } : {}),
          ...(source === "hub" && trust && pinned ? { trustRemoteCode: true } : {}),
        });
      }}
    >
      <Stack gap="md">
        <SegmentedControl
          aria-label="Location"
          value={source}
          onChange={(value) => setSource(value === "local" ? "local" : "hub")}
          data={[
            { value: "hub", label: "On the hub" },
            { value: "local", label: "On the trainer’s machine" },
          ]}
        />
        <TextInput
          label={source === "hub" ? "Id" : "Path"}
          description={
            source === "hub"
              ? "The name of its repository on the Hugging Face hub."
              : "The folder with its weights and its tokenizer."
          }
          placeholder={source === "hub" ? "acme/support-7b" : "/models/support-7b"}
          required
          data-autofocus
          maxLength={500}
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
        />
        {source === "hub" ? (
          <>
            <TextInput
              label="Revision"
              description="A branch, tag or commit."
              placeholder="main"
              maxLength={200}
              value={revision}
              onChange={(event) => setRevision(event.currentTarget.value)}
            />
            <Checkbox
              label="Run the code of its repository on the trainer"
              description={
                pinned
                  ? "Only for this commit. Read the code first: it can do whatever the trainer can."
                  : "Needs a pinned commit: enter its 40 characters as the revision."
              }
              disabled={!pinned}
              checked={trust && pinned}
              onChange={(event) => setTrust(event.currentTarget.checked)}
            />
          </>
        ) : null}
        <Refused error={add.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending} disabled={id.trim() === ""}>
            Add model
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
