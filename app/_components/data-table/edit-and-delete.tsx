import { IconPencil, IconTrash } from "@tabler/icons-react";
import type { ListAction } from "./types";

/** Returns the actions that open the dialogs in which one row is edited and deleted. */
export function editAndDelete<Row>(edit: (row: Row) => void, remove: (row: Row) => void): ListAction<Row>[] {
  const opens = (open: (row: Row) => void): Pick<ListAction<Row>, "single" | "run"> => ({
    single: true,
    run: async ({ rows: [row] }) => {
      if (row) open(row);
      return null;
    },
  });
  return [
    { id: "edit", label: "Edit…", key: "e", icon: <IconPencil size={14} aria-hidden />, ...opens(edit) },
    { id: "delete", label: "Delete…", danger: true, icon: <IconTrash size={14} aria-hidden />, ...opens(remove) },
  ];
}
