/** How long a toast with a button stays, in milliseconds: long enough to see it, read it and reach it. */
export const ACTION_TOAST_MS = 10_000;
