import { notifications } from "@mantine/notifications";
import { plural } from "@/app/_lib/format";

/** Rows that are read to act on each of them. */
const ROWS_MAX = 1000;
const PAGE = 500;

type Page<Row> = { rows: readonly Row[]; nextCursor: string | null };

/** Returns all matching rows, loaded or not. Tells the reader and returns `null` if there are too many to act on. */
export async function readAllMatching<Row>(
  what: string,
  read: (page: { limit: number; cursor?: string }) => Promise<Page<Row>>,
): Promise<readonly Row[] | null> {
  const all: Row[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Row> = await read({ limit: PAGE, ...(cursor === null ? {} : { cursor }) });
    all.push(...page.rows);
    cursor = page.nextCursor;
    if (all.length > ROWS_MAX || (all.length === ROWS_MAX && cursor !== null)) {
      notifications.show({
        color: "red",
        title: `More than ${plural(ROWS_MAX, what)} match`,
        message: "Narrow the filters and work in batches.",
      });
      return null;
    }
  } while (cursor !== null);
  return all;
}
