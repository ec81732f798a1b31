import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Schemas } from '../api/client';
import { useProjects } from '../api/queries';

const key = 'imprimatur.project';

/** The Project of the page, or the one last shown, or the first. undefined if there is none. */
export function lastProject(projects: Schemas['Project'][], projectId = Number(localStorage.getItem(key))) {
  return projects.find((p) => p.id === projectId) ?? projects[0];
}

/** The lastProject of the page that is shown. */
export function useLastProject() {
  const { projectId } = useParams({ strict: false }) as { projectId?: number };
  useEffect(() => {
    if (projectId !== undefined) localStorage.setItem(key, String(projectId));
  }, [projectId]);
  return lastProject(useProjects(), projectId);
}
