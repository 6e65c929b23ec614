/** A sentence in which `names` stand in backticks. */
export const Words = ({ text }: { text: string }) =>
  text.split("`").map((part, at) =>
    at % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one fixed sentence never move.
      <code key={at}>{part}</code>
    ) : (
      part
    ),
  );
