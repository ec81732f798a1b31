import type { Schemas } from '../../api/client';
import { useTexts } from '../../i18n/language';

export type Role = Schemas['Member']['role'];

/** The names of the roles. */
export const useRoleNames = () => useTexts('settings').roles;
