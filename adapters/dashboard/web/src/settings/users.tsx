import { Page } from '../shell/page';

export function UsersPage() {
  return <Page title="UsersPage">UsersPage</Page>;
}
