import type { Schemas } from '../../api/client';
import { texts, useTexts } from '../../i18n/language';

export type Role = Schemas['Member']['role'];

/** The names of the roles. */
export const useRoleNames = () => useTexts(words);

const words = texts<Record<Role | 'super_admin', string>>({
  en: {
    super_admin: 'Super admin',
    tenant_admin: 'Admin of the organisation',
    department_admin: 'Admin of the department',
    admin: 'Admin of the project',
    editor: 'Editor',
    viewer: 'Viewer',
  },
  de: {
    super_admin: 'Superadministrator',
    tenant_admin: 'Administrator der Organisation',
    department_admin: 'Administrator der Abteilung',
    admin: 'Administrator des Projekts',
    editor: 'Redakteur',
    viewer: 'Betrachter',
  },
});
