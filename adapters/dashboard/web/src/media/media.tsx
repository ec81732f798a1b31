import { Page } from '../shell/page';

export function MediaPage() {
  return <Page title="MediaPage">MediaPage</Page>;
}
