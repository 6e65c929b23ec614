"use client";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { guardLeaving } from "@/app/_lib/leave-guard";
import { isPlainClick } from "@/app/_lib/plain-click";
import { ConfirmDialog } from "../../../../../_components/confirm/confirm-dialog";

/** Asks before a page with unsaved changes is left: by a link, by keys, or by closing the tab. Returns the dialog. */
export function useUnsaved(dirty: boolean) {
  const router = useRouter();
  const [leave, setLeave] = useState<{ go: () => void } | null>(null);
  useEffect(() => {
    if (!dirty) return;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (!(link instanceof HTMLAnchorElement) || !isPlainClick(event) || link.target === "_blank") return;
      const { origin, pathname, search, hash } = new URL(link.href);
      if (origin !== location.origin || pathname === location.pathname) return;
      event.preventDefault();
      event.stopPropagation();
      setLeave({ go: () => router.push(pathname + search + hash) });
    };
    const release = guardLeaving((go) => setLeave({ go }));
    window.addEventListener("beforeunload", onUnload);
    document.addEventListener("click", onClick, { capture: true });
    return () => {
      release();
      window.removeEventListener("beforeunload", onUnload);
      document.removeEventListener("click", onClick, { capture: true });
    };
  }, [dirty, router]);
  return (
    <ConfirmDialog
      subject={leave}
      onClose={() => setLeave(null)}
      title={() => "Leave without saving?"}
      says={() => "Your changes to this Example are not saved, and leaving discards them."}
      action="Discard changes"
      keep="Keep editing"
      running={NOTHING_RUNS}
      onConfirm={({ go }) => {
        setLeave(null);
        go();
      }}
    />
  );
}

const NOTHING_RUNS = { error: null, isPending: false, reset: () => {} };
