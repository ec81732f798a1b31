import { Page } from '../shell/page';

export function ProjectSettingsPage() {
  return <Page title="ProjectSettingsPage">ProjectSettingsPage</Page>;
}
