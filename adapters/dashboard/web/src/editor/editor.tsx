import { Page } from '../shell/page';

export function NewEntryPage() {
  return <Page title="NewEntryPage">NewEntryPage</Page>;
}

export function EntryPage() {
  return <Page title="EntryPage">EntryPage</Page>;
}
