import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useProjects } from '../api/queries';

const key = 'imprimatur.project';

/** The Project of the page, or the one last shown, or the first. undefined if there is none. */
export function useLastProject() {
  const projects = useProjects();
  const { projectId } = useParams({ strict: false }) as { projectId?: number };
  useEffect(() => {
    if (projectId !== undefined) localStorage.setItem(key, String(projectId));
  }, [projectId]);
  const id = projectId ?? Number(localStorage.getItem(key));
  return projects.find((p) => p.id === id) ?? projects[0];
}
