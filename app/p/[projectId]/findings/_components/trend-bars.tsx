const WIDTH = 84;
const HEIGHT = 24;
const GAP = 1;

/** Conversations per day as small bars, the current day last. The tallest fills the height. */
export function TrendBars({ days }: { days: readonly number[] }) {
  const most = Math.max(1, ...days);
  const step = WIDTH / Math.max(1, days.length);
  const total = days.reduce((sum, count) => sum + count, 0);
  return (
    <svg
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={`${total} conversations in ${days.length} days, ${days.at(-1) ?? 0} today`}
      style={{ display: "block", color: "var(--mantine-primary-color-filled)" }}
    >
      {days.map((count, index) => {
        const height = count === 0 ? 1 : Math.max(2, (count / most) * HEIGHT);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its position
            key={index}
            x={index * step}
            y={HEIGHT - height}
            width={step - GAP}
            height={height}
            fill="currentColor"
            opacity={count === 0 ? 0.25 : 1}
          />
        );
      })}
    </svg>
  );
}
