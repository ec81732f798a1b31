import { Page } from '../shell/page';

export function DefinitionPage() {
  return <Page title="DefinitionPage">DefinitionPage</Page>;
}
