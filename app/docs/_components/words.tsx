/** Text in which `names` are marked by backticks. */
export const Words = ({ text }: { text: string }) =>
  text.split("`").map((part, at) =>
    at % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one fixed sentence never move.
      <code key={at}>{part}</code>
    ) : (
      part
    ),
  );
