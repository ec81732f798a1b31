import { Page } from '../shell/page';

export function ReviewPage() {
  return <Page title="ReviewPage">ReviewPage</Page>;
}
