import { useState } from "react";

/** Asks the reader in a dialog: `ask` resolves to the reply, or to `null` if the dialog is closed. */
export function useQuestion<Subject, Reply>() {
  const [open, setOpen] = useState<{ subject: Subject; resolve: (reply: Reply | null) => void } | null>(null);
  const ask = (subject: Subject) => new Promise<Reply | null>((resolve) => setOpen({ subject, resolve }));
  const answer = (reply: Reply | null) => {
    open?.resolve(reply);
    setOpen(null);
  };
  return { subject: open?.subject ?? null, ask, answer };
}
