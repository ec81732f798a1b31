import { Page } from '../shell/page';

export function DefinitionsPage() {
  return <Page title="DefinitionsPage">DefinitionsPage</Page>;
}
