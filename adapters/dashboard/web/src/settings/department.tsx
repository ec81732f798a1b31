import { Page } from '../shell/page';

export function DepartmentPage() {
  return <Page title="DepartmentPage">DepartmentPage</Page>;
}
