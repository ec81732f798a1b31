import { Page } from '../shell/page';

export function LanguagesPage() {
  return <Page title="LanguagesPage">LanguagesPage</Page>;
}
