import { Page } from '../shell/page';

export function OverviewPage() {
  return <Page title="OverviewPage">OverviewPage</Page>;
}
