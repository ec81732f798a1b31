import { Page } from '../shell/page';

export function EntriesPage() {
  return <Page title="EntriesPage">EntriesPage</Page>;
}
