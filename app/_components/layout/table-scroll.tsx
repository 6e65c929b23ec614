import { Table } from "@mantine/core";

type Props = {
  /** Narrower than this it scrolls sideways. */
  minWidth: number;
  /** What scrolls, for those who do not see it. */
  label: string;
  children: React.ReactNode;
};

/** A table of figures: nothing in it takes the keyboard, so the box that scrolls has to. */
export const TableScroll = ({ minWidth, label, children }: Props) => (
  <Table.ScrollContainer
    minWidth={minWidth}
    scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "group", "aria-label": `${label}, scrollable` } }}
  >
    {children}
  </Table.ScrollContainer>
);
