import { Page } from '../shell/page';

export function WorkflowPage() {
  return <Page title="WorkflowPage">WorkflowPage</Page>;
}
