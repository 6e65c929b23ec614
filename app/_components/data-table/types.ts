import type { ColumnDef, RowData } from "@tanstack/react-table";

declare module "@tanstack/react-table" {
  interface ColumnMeta<TData extends RowData, TValue> {
    /** CSS width; the one column without a width takes the remaining space. */
    width?: string;
    align?: "end";
    /** This cell is the row's link: the target of j and k, opened by Enter. */
    link?: boolean;
    /** Rendered below the link; it may have controls of its own. */
    below?: (row: TData) => React.ReactNode;
    /** The name in the column menu and for screen readers, if the header is not text. */
    label?: string;
    /** Contains the row's buttons: always shown, with a hidden header. */
    controls?: boolean;
    /** Hidden on a phone. */
    roomy?: boolean;
    /** Hidden where the list has less room than on a large screen. */
    wide?: boolean;
    /** Hidden while a row is open next to the list. */
    aside?: boolean;
    /** Whether a row has nothing to show in it: a column with nothing in any row is hidden, and gives its width away. */
    isEmpty?: (row: TData) => boolean;
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

/** The result of an action: the text of its toast and, if it can be undone, how. */
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
  /** Runs it on the selection or, if there is none, on the focused row. */
  key?: string;
  icon?: React.ReactNode;
  danger?: boolean;
  /** For a selection, offered in a menu with this name, together with the group's other actions. */
  group?: string;
  /** Whether it can act on a row; others in a selection are left alone. Default: on every row. */
  applies?: (row: Row) => boolean;
  /** It can act on every matching row, loaded or not. */
  matching?: boolean;
  /** Only for one row: not offered for a selection. */
  single?: boolean;
  /** Acts, and resolves to what it did; `null` if the reader changed their mind. Errors that it throws are shown. */
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

/** Consecutive rows that are collapsed into one line until it is opened. */
export type Fold<Row> = {
  /** Rows next to each other with the same text are folded; `null`: never. */
  of: (row: Row) => string | null;
  /** The line's description of its rows: "412 completed". */
  words: (rows: readonly Row[]) => React.ReactNode;
  /** A row's time, Unix ms; the line ends with that of the newest row. */
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
  /** Gives every row this height and keeps only those in view in the DOM. Default: rows as tall as their content. */
  rowHeight?: number;
  /** A narrower list scrolls sideways. */
  minWidth: number;
  /** The minimum width while a row is open next to the list. */
  minWidthAside?: number;
  /** Folds what is routine, in the list's own order only. */
  fold?: Fold<Row> | undefined;
  /** Whether a row is dimmed because it has ended. */
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
