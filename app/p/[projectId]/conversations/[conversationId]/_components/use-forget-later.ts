import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

/**
 * Forgets the later pages of a list when the cursor changes by which they follow what was read first: something came between,
 * and they would leave it out.
 */
export function useForgetLater(cursor: string | null | undefined, queryKey: QueryKey) {
  const queries = useQueryClient();
  const known = useRef(cursor);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a key is as good as another of the same content
  useEffect(() => {
    const before = known.current;
    known.current = cursor;
    if (before !== cursor && before != null) void queries.resetQueries({ queryKey });
  }, [cursor]);
}
