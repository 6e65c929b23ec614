import { Table } from "@mantine/core";

type Props = {
  /** The minimum width; a narrower table scrolls sideways. */
  minWidth: number;
  /** The accessible name of the scroll area. */
  label: string;
  children: React.ReactNode;
};

/** A scroll area for a table of numbers. Nothing in the table takes the keyboard focus, so the scroll area does. */
export const TableScroll = ({ minWidth, label, children }: Props) => (
  <Table.ScrollContainer
    minWidth={minWidth}
    scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "group", "aria-label": `${label}, scrollable` } }}
  >
    {children}
  </Table.ScrollContainer>
);
