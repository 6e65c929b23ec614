/** Text in which backticks mark names, as in Findings' texts. No other markup is interpreted. */
export function InlineCode({ text }: { text: string }) {
  return text.split(/`([^`]+)`/).map((piece, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text keep their order
      <code key={index} className="mono">
        {piece}
      </code>
    ) : (
      piece
    ),
  );
}
