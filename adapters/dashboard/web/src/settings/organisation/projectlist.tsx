import { Link } from '@tanstack/react-router';
import { Box } from 'lucide-react';
import type { Schemas } from '../../api/client';
import { useTexts } from '../../i18n/language';
import { Row, Rows } from '../parts';

/** A list of links to Projects. */
export function ProjectList({ projects, label }: { projects: readonly Schemas['Project'][]; label: string }) {
  const t = useTexts('settings').projectlist;
  if (projects.length === 0) return <p>{t.none}</p>;
  return (
    <Rows label={label}>
      {projects.map((project) => (
        <Row
          key={project.id}
          icon={<Box aria-hidden />}
          title={
            <Link to="/projects/$projectId" params={{ projectId: project.id }}>
              {project.name}
            </Link>
          }
        />
      ))}
    </Rows>
  );
}
