import { Page } from '../shell/page';

export function AccountPage() {
  return <Page title="AccountPage">AccountPage</Page>;
}
