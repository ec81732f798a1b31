import { Page } from '../shell/page';

export function CalendarPage() {
  return <Page title="CalendarPage">CalendarPage</Page>;
}
