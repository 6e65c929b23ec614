import { useRouter } from "next/navigation";
import { useEffect, useRef } from "react";
import { leavePage } from "@/app/_lib/leave-guard";
import { useKeys } from "@/app/_lib/use-keys";
import { pageHref } from "./pages";
import { usePages } from "./use-pages";

const SECOND_KEY_TIMEOUT_MS = 1200;

/** `g` then a letter opens a page. Listens first, so that `g k` is not also "row up". */
export function useGoKeys(projectId: string, onHelp: () => void) {
  const router = useRouter();
  const pending = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(() => () => clearTimeout(pending.current ?? undefined), []);

  const second = Object.fromEntries(
    usePages().flatMap(({ path, key }) =>
      key === null
        ? []
        : [
            [
              key,
              (event: KeyboardEvent) => {
                if (pending.current === null) return;
                clearTimeout(pending.current);
                pending.current = null;
                event.preventDefault();
                event.stopPropagation();
                leavePage(() => router.push(pageHref(projectId, path)));
              },
            ],
          ],
    ),
  );
  useKeys(
    {
      ...second,
      g: () => {
        clearTimeout(pending.current ?? undefined);
        pending.current = setTimeout(() => {
          pending.current = null;
        }, SECOND_KEY_TIMEOUT_MS);
      },
      "?": onHelp,
    },
    { capture: true },
  );
}
