/** How the words at a chart's axis look. */
export const TICK = { fontSize: 11, fill: "var(--mantine-color-dimmed)" };

/** A chart's axis of values: its ticks are at multiples of 1, 2, 2.5 or 5 times a power of ten. */
export const VALUE_AXIS = { tick: TICK, niceTicks: "snap125" } as const;
