import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

/**
 * Reads queries once more when what they follow begins to move or comes to rest: the last reading of something live may be from a
 * moment before its end. `moving` says what moves.
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
