type Props = { label: string; className?: string | undefined; children: React.ReactNode; testId?: string };

/** Scrollable preformatted text: reachable by keyboard and named, without being a landmark. */
export function ScrollPre({ label, className, children, testId }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls; this groups text
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <pre className={className} tabIndex={0} role="group" aria-label={label} data-testid={testId}>
      {children}
    </pre>
  );
}
