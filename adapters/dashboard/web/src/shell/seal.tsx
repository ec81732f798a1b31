/** The icon of the product and of sealed content. */
export function Seal() {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.6" aria-hidden>
      <circle cx="12" cy="12" r="9.2" />
      <circle cx="12" cy="12" r="6.4" strokeWidth="1" />
      <path d="M8.9 12.2l2.1 2.1 4.2-4.6" strokeWidth="1.9" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
