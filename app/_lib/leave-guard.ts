type Guard = (leave: () => void) => void;

let guard: Guard | null = null;

/** Registers the guard that asks before the page is left. Returns a function that unregisters it. */
export function guardLeaving(next: Guard): () => void {
  guard = next;
  return () => {
    if (guard === next) guard = null;
  };
}

/** Calls `leave`, which leaves the page: immediately, or after the reader has agreed to lose unsaved changes. */
export const leavePage = (leave: () => void) => (guard === null ? leave() : guard(leave));
