type Guard = (leave: () => void) => void;

let guard: Guard | null = null;

/** Registers who asks before the page is left, or nobody. Returns a function that takes it back. */
export function guardLeaving(next: Guard): () => void {
  guard = next;
  return () => {
    if (guard === next) guard = null;
  };
}

/** Leaves the page by `leave`: at once, or after the reader agreed to lose what is not saved. */
export const leavePage = (leave: () => void) => (guard === null ? leave() : guard(leave));
