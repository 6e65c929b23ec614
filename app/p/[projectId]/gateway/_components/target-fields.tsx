import { ActionIcon, Button, Input, NativeSelect, Stack, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import { MODEL_CHARACTERS, TARGETS_MAX } from "@/server/services/gateway/aliases/schemas";
import type { ModelConnection } from "../../_components/variants/use-model-connections";
import { DEPLOYMENT, type FormValues, newTarget } from "./form-values";
import classes from "./gateway.module.css";

type Props = { form: UseFormReturnType<FormValues>; connections: readonly ModelConnection[] };

/** What answers calls of the alias, in order. */
export function TargetFields({ form, connections }: Props) {
  const { targets } = form.values;
  return (
    <Input.Wrapper
      label="Models, in order"
      description="The next one answers if a call fails before its first content, or is late."
      labelElement="div"
      required
    >
      <Stack gap="xs" mt={6}>
        {targets.map(({ key }, at) => (
          <TargetRow key={key} at={at} form={form} connections={connections} />
        ))}
        <div>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconPlus size={12} aria-hidden />}
            disabled={targets.length >= TARGETS_MAX}
            onClick={() => form.insertListItem("targets", newTarget(connections))}
          >
            Add a fallback
          </Button>
        </div>
      </Stack>
    </Input.Wrapper>
  );
}

function TargetRow({ at, form, connections }: Props & { at: number }) {
  const { targets } = form.values;
  const via = targets[at]?.via ?? DEPLOYMENT;
  const which = at === 0 ? "model" : `fallback ${at}`;
  const isKnown = via === DEPLOYMENT || connections.some(({ id }) => id === via);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a grid everywhere
    <div role="group" aria-label={at === 0 ? "First model" : `Fallback ${at}`} className={classes.target}>
      <NativeSelect
        size="sm"
        aria-label={`Connection of ${which}`}
        data={[
          ...connections.map(({ id, name }) => ({ value: id, label: name })),
          ...(isKnown ? [] : [{ value: via, label: "Deleted connection" }]),
          { value: DEPLOYMENT, label: "Deployment" },
        ]}
        {...form.getInputProps(`targets.${at}.via`)}
        error={isKnown ? null : "Choose another."}
      />
      <TextInput
        aria-label={via === DEPLOYMENT ? `Deployment of ${which}` : `Name of ${which}`}
        placeholder={via === DEPLOYMENT ? "shop-agent" : "gpt-5-mini"}
        maxLength={MODEL_CHARACTERS}
        spellCheck={false}
        {...form.getInputProps(`targets.${at}.name`)}
      />
      <div className={classes.moves}>
        <ActionIcon
          aria-label={`Move ${which} up`}
          disabled={at === 0}
          onClick={() => form.reorderListItem("targets", { from: at, to: at - 1 })}
        >
          <IconArrowUp size={14} aria-hidden />
        </ActionIcon>
        <ActionIcon
          aria-label={`Move ${which} down`}
          disabled={at === targets.length - 1}
          onClick={() => form.reorderListItem("targets", { from: at, to: at + 1 })}
        >
          <IconArrowDown size={14} aria-hidden />
        </ActionIcon>
        <ActionIcon
          aria-label={`Remove ${which}`}
          disabled={targets.length === 1}
          onClick={() => form.removeListItem("targets", at)}
        >
          <IconTrash size={14} aria-hidden />
        </ActionIcon>
      </div>
    </div>
  );
}
