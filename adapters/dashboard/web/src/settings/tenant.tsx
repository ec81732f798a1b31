import { Page } from '../shell/page';

export function TenantPage() {
  return <Page title="TenantPage">TenantPage</Page>;
}
