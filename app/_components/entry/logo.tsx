/** A whetstone with the edge drawn over it. */
export function Logo({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" aria-hidden role="presentation">
      <rect width="24" height="24" rx="6" fill="#4f58cf" />
      <path d="M5 16.5h14" stroke="#fff" strokeWidth="2.2" strokeLinecap="round" />
      <path d="M7 12.8 17.2 6.6" stroke="#c3c9f5" strokeWidth="2.2" strokeLinecap="round" />
    </svg>
  );
}
