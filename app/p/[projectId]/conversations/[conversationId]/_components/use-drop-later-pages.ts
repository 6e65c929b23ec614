import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

/**
 * Drops a list's later pages when the cursor that connects them to the first page changes: rows were inserted in
 * between, which they would skip.
 */
export function useDropLaterPages(cursor: string | null | undefined, queryKey: QueryKey) {
  const queries = useQueryClient();
  const known = useRef(cursor);
  // biome-ignore lint/correctness/useExhaustiveDependencies: keys with equal content are interchangeable
  useEffect(() => {
    const before = known.current;
    known.current = cursor;
    if (before !== cursor && before != null) void queries.resetQueries({ queryKey });
  }, [cursor]);
}
