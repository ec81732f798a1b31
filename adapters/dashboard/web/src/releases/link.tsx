import { Link } from '@tanstack/react-router';
import { useTexts } from '../i18n/language';

export function ReleasesLink({ projectId }: { projectId: number }) {
  const t = useTexts('releases').list;
  return (
    <Link to="/projects/$projectId/releases" params={{ projectId }} activeOptions={{ exact: true }}>
      {t.title}
    </Link>
  );
}
