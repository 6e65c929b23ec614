/** Text in which `…` marks names, as Findings write it. Nothing else in it means anything. */
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
