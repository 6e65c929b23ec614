/** How long a toast with a button stays, in milliseconds: long enough to see it, read it and reach it. */
export const TIME_TO_PRESS_MS = 10_000;
