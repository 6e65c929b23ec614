import { Button, Checkbox, Code, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { Refused } from "@/app/_components/feedback/refused";
import { fieldProblem } from "@/app/_lib/problem";
import { VIEW_NAME_CHARACTERS } from "@/server/services/saved-views/schemas";

type Values = { name: string; shared: boolean };
type FieldsProps = {
  values: Values;
  /** The query string being saved; absent if only the name changes. */
  query: string | undefined;
  action: string;
  mayShare: boolean;
  saving: boolean;
  error: unknown;
  onSave: (values: Values) => void;
  onClose: () => void;
};
type Props = FieldsProps & { opened: boolean; title: string };

/** Asks for a view's name, and whether to share it with everyone in the project. */
export const ViewDialog = ({ opened, title, ...fields }: Props) => (
  <Modal opened={opened} onClose={fields.onClose} title={title}>
    <Fields {...fields} />
  </Modal>
);

function Fields({ values, query, action, mayShare, saving, error, onSave, onClose }: FieldsProps) {
  const form = useForm({
    mode: "controlled",
    initialValues: values,
    validate: { name: (name) => (name.trim() === "" ? "Enter a name." : null) },
  });
  const nameError = fieldProblem(error, "/name");
  const { error: invalid, ...name } = form.getInputProps("name");
  return (
    <form noValidate onSubmit={form.onSubmit(({ name: given, shared }) => onSave({ name: given.trim(), shared }))}>
      <Stack gap="md">
        <Refused error={nameError === null ? error : null} />
        <TextInput
          label="Name"
          required
          maxLength={VIEW_NAME_CHARACTERS}
          data-autofocus
          {...name}
          error={invalid ?? nameError}
        />
        {mayShare ? (
          <Checkbox
            label="Share with everyone in the project"
            description="Otherwise only you see it."
            {...form.getInputProps("shared", { type: "checkbox" })}
          />
        ) : null}
        {query === undefined ? null : (
          <Text size="sm" component="div">
            {query === "" ? "Saves the list without filters." : "Saves "}
            {[...new URLSearchParams(query)].map(([parameter, value]) => (
              <Code key={`${parameter}=${value}`} mr={6} style={{ overflowWrap: "anywhere" }}>
                {parameter}: {value}
              </Code>
            ))}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={saving}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
