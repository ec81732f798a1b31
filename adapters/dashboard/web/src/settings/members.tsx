import { Page } from '../shell/page';

export function MembersPage() {
  return <Page title="MembersPage">MembersPage</Page>;
}
