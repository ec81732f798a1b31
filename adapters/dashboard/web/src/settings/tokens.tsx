import { Page } from '../shell/page';

export function TokensPage() {
  return <Page title="TokensPage">TokensPage</Page>;
}
