import type { ColumnDef, RowData } from "@tanstack/react-table";

declare module "@tanstack/react-table" {
  interface ColumnMeta<TData extends RowData, TValue> {
    /** CSS width; the one column without a width takes the remaining space. */
    width?: string;
    align?: "end";
    /** This cell is the row's link: the target of j and k, opened by Enter. */
    link?: boolean;
    /** What stands below the link: it may have controls of its own. */
    below?: (row: TData) => React.ReactNode;
    /** The name in the column menu and for screen readers, if the header is not text. */
    label?: string;
    /** It has the row's buttons: always shown, and its header is not. */
    controls?: boolean;
    /** Hidden on a phone. */
    roomy?: boolean;
    /** Hidden where the list has less room than on a large screen. */
    wide?: boolean;
    /** Hidden while a row is open next to the list. */
    aside?: boolean;
    /** The server sorts by it, in the order named by the column's id; `accessorFn` sorts in the browser instead. */
    sort?: "server";
  }
}

export type ListColumn<Row> = ColumnDef<Row> & { id: string };

/** The rows that an action is asked to act on. */
export type ActionTarget<Row> = {
  rows: readonly Row[];
  /** Every row that matches the list's filters, loaded or not; `rows` are the loaded ones. */
  matching: boolean;
};

/** The result of an action: the words of its toast, and the way back where there is one. */
export type ActionDone = {
  said: React.ReactNode;
  undo?: (() => unknown) | undefined;
  /** The toast is long, and stays until it is closed. */
  stays?: boolean;
};

export type ListAction<Row> = {
  id: string;
  /** Starts with a verb: "Confirm". */
  label: string;
  /** Runs it on the selection, or without one on the focused row. */
  key?: string;
  icon?: React.ReactNode;
  danger?: boolean;
  /** Offered for a selection in a menu of this name, with the others of the group. */
  group?: string;
  /** Whether it can act on a row; others in a selection are left alone. Default: on every row. */
  applies?: (row: Row) => boolean;
  /** It can act on every matching row, loaded or not. */
  matching?: boolean;
  /** Only for one row: not offered for a selection. */
  single?: boolean;
  /** Acts, and resolves to what it did; `null` if the reader changed their mind. What it throws is shown. */
  run: (target: ActionTarget<Row>) => Promise<ActionDone | null>;
};

/** The part of a query's result, paged or not, that a list needs. */
export type ListQuery = {
  error: unknown;
  dataUpdatedAt: number;
  isPending: boolean;
  isFetching: boolean;
  isPlaceholderData: boolean;
  refetch: () => unknown;
} & Partial<PagedQuery>;

export type PagedQuery = {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: unknown;
  fetchNextPage: () => unknown;
};

/** The row that is open next to its list. */
export type Peeked<Row> = {
  id: string;
  /** As in the list, if it is among the loaded rows. */
  row: Row | undefined;
  close: () => void;
  /** Runs one of the list's actions on a row; the list then moves on. */
  act: (actionId: string, row: Row) => void;
  undo: () => void;
  /** An action is running. */
  busy: boolean;
};

/** Consecutive rows that one line stands for until it is opened. */
export type Fold<Row> = {
  /** Rows next to each other with the same text are folded; `null`: never. */
  of: (row: Row) => string | null;
  /** What the line says of its rows: "412 completed". */
  words: (rows: readonly Row[]) => React.ReactNode;
  /** When a row was, Unix ms: the line ends with the newest row's. */
  at: (row: Row) => number;
};

export type DataListProps<Row> = {
  /** The accessible name, in the plural: "Findings". */
  name: string;
  /** The singular name of a row, for counts: "Finding". */
  what: string;
  /** The query that loads the rows, paged or not. */
  list: ListQuery;
  rows: readonly Row[];
  rowId: (row: Row) => string;
  /** What a row is called in messages. */
  rowName: (row: Row) => string;
  columns: ListColumn<Row>[];
  /** The page that a row's link opens; a row without one takes the focus itself. */
  rowHref?: (row: Row) => string | null;
  /** A row's link is this list with the row open next to it. */
  linkPeeks?: boolean;
  /** Renders the open row next to the list; it follows the focus. */
  peek?: (open: Peeked<Row>) => React.ReactNode;
  /** Renders the open row's details below it, for a list in the middle of a page. */
  details?: (row: Row) => React.ReactNode;
  /** Opens a row in another way. */
  onOpen?: (row: Row) => void;
  /** What can be done to rows; with any, rows can be selected. */
  actions?: readonly ListAction<Row>[];
  /** The list's filters as sent to the server, and the number of matching rows if known: allows "all matching". */
  matching?: { filter: unknown; total?: number | undefined };
  /** Rows of this height, of which only those in view are in the DOM. Default: rows as tall as their content. */
  rowHeight?: number;
  /** A narrower list scrolls sideways. */
  minWidth: number;
  /** The minimum width while a row is open next to the list. */
  minWidthAside?: number;
  /** Folds what is routine, in the list's own order only. */
  fold?: Fold<Row> | undefined;
  /** Dimmed: it is over. */
  dimmed?: (row: Row) => boolean;
  /** Part of a page that scrolls as a whole. */
  embedded?: boolean;
  /** For a second list on a page: the prefix of its parameters. Its keys work while the focus is in it. */
  scope?: string;
  /** More rows are loading, and the list may still be empty. */
  filling?: boolean;
  /** Rendered above the rows. */
  note?: React.ReactNode;
  /** Rendered when the list is empty. */
  empty: React.ReactNode;
};
