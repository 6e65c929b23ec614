import { NativeSelect, SimpleGrid } from "@mantine/core";
import { COLUMN_ROLES, type Role } from "@/server/services/datasets/formats/schemas";
import type { ImportPreview } from "@/server/services/datasets/imports/schemas";
import { ROLE_WORDS } from "./import-words";

const OPTIONS = Object.entries(ROLE_WORDS).map(([value, label]) => ({ value, label }));

type Props = { preview: ImportPreview; onChange: (column: string, role: Role) => void };

/** Each column of the file, or key of its rows, with its role in an Example. */
export const ColumnMapping = ({ preview, onChange }: Props) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" style={{ alignItems: "end" }}>
    {preview.columns.map((column) => (
      <NativeSelect
        key={column}
        size="xs"
        label={`${column} becomes`}
        labelProps={{ style: { overflowWrap: "anywhere" } }}
        value={preview.mapping[column] ?? "ignore"}
        data={OPTIONS}
        onChange={(event) => {
          const role = COLUMN_ROLES.find((known) => known === event.currentTarget.value);
          if (role) onChange(column, role);
        }}
      />
    ))}
  </SimpleGrid>
);
