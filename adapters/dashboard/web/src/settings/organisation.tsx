import { Page } from '../shell/page';

export function OrganisationPage() {
  return <Page title="OrganisationPage">OrganisationPage</Page>;
}
