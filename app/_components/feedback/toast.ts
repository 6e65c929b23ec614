/** How long a toast with something to press stays: somebody has to see it, read it and get there. Milliseconds. */
export const TIME_TO_PRESS_MS = 10_000;
