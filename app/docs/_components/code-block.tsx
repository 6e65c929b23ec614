/** Text to copy or compare. Scrolls on its own on narrow pages. */
export const CodeBlock = ({ label, text }: { label: string; text: string }) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls; this only names a scroll area.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard.
  <div className="docs-code" role="group" tabIndex={0} aria-label={label}>
    <pre>
      <code>{text}</code>
    </pre>
  </div>
);
