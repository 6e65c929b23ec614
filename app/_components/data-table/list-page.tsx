import { PageHeader } from "../layout/page-header";
import { ColumnMenu } from "./column-menu";
import { DataList } from "./data-list";
import type { DataListProps } from "./types";

type Props<Row> = Omit<DataListProps<Row>, "name"> & {
  title: string;
  /** The list's accessible name, if it is not the page's title. */
  name?: string;
  /** In the header, next to the title. */
  filters?: React.ReactNode;
  /** In the header, before the choice of columns. */
  menus?: React.ReactNode;
  /** In the header, after the choice of columns. */
  buttons?: React.ReactNode;
  /** Between the header and the list. */
  above?: React.ReactNode;
  /** Takes the place of the list and of the header's controls, for a page that has nothing to list yet. */
  instead?: React.ReactNode;
  /** The page's dialogs. */
  children?: React.ReactNode;
};

/** A page that is a list: its header, with filters, columns and buttons, and its rows. */
export function ListPage<Row>(props: Props<Row>) {
  const { title, name = title, filters, menus, buttons, above, instead, children, ...list } = props;
  const controls = (
    <>
      {menus}
      <ColumnMenu columns={list.columns} />
      {buttons}
    </>
  );
  return (
    <>
      <PageHeader title={title} aside={instead ? null : controls}>
        {instead ? null : filters}
      </PageHeader>
      {above}
      {instead || <DataList {...list} name={name} />}
      {children}
    </>
  );
}
