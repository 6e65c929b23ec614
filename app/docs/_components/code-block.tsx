/** Text to copy or to compare with. Scrolls by itself where the page is narrower. */
export const CodeBlock = ({ label, text }: { label: string; text: string }) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls; this only names what scrolls.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
  <div className="docs-code" role="group" tabIndex={0} aria-label={label}>
    <pre>
      <code>{text}</code>
    </pre>
  </div>
);
