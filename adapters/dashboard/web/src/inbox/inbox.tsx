export function InboxPage() {
  return <p>inbox</p>;
}
