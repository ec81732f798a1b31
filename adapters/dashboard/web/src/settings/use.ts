/** An object that uses the one to delete, from a conflict with the code in_use. */
export type Use =
  | { kind: 'department'; departmentId: number }
  | { kind: 'project'; projectId: number }
  | { kind: 'request'; projectId: number; collectionId: number; entryId: number };

/** Parses the location of a fault, such as "departments/1/approval-workflow"; undefined for other locations. */
export function parseUse(location: string): Use | undefined {
  const workflow = /^(departments|projects)\/(\d+)\/approval-workflow$/.exec(location);
  if (workflow) {
    const id = Number(workflow[2]);
    return workflow[1] === 'departments' ? { kind: 'department', departmentId: id } : { kind: 'project', projectId: id };
  }
  const request = /^projects\/(\d+)\/collections\/(\d+)\/content\/(\d+)\/approval$/.exec(location);
  if (!request) return undefined;
  const [projectId, collectionId, entryId] = request.slice(1).map(Number) as [number, number, number];
  return { kind: 'request', projectId, collectionId, entryId };
}
