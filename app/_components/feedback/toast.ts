/** How long a toast with a button stays, in milliseconds: long enough to notice it, read it and reach the button. */
export const ACTION_TOAST_MS = 10_000;
