import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

/**
 * Refetches queries when what they poll starts or stops changing: the last poll of something live may be from just before
 * its end. `moving` says what is changing.
 */
export function useLastReading(moving: string | boolean, queryKey: QueryKey): void {
  const queries = useQueryClient();
  const known = useRef(moving);
  useEffect(() => {
    if (known.current === moving) return;
    known.current = moving;
    void queries.invalidateQueries({ queryKey });
  });
}
