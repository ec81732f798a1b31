import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Schemas } from '../api/client';
import { useProjects } from '../api/queries';

const key = 'imprimatur.project';

/** The Project with this id, by default the last shown one; else the first. undefined without Projects. */
export function lastProject(projects: Schemas['Project'][], projectId = Number(localStorage.getItem(key))) {
  return projects.find((p) => p.id === projectId) ?? projects[0];
}

/** Like lastProject, for the current page, whose Project it stores. */
export function useLastProject() {
  const { projectId } = useParams({ strict: false }) as { projectId?: number };
  useEffect(() => {
    if (projectId !== undefined) localStorage.setItem(key, String(projectId));
  }, [projectId]);
  return lastProject(useProjects(), projectId);
}
