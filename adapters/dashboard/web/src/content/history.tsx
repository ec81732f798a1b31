import { Page } from '../shell/page';

export function HistoryPage() {
  return <Page title="HistoryPage">HistoryPage</Page>;
}
