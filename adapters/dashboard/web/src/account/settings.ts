import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { $api, api, dataOf, type Schemas } from '../api/client';

/** How the dashboard looks. */
export type Settings = Pick<Schemas['Settings'], 'language' | 'timeZone' | 'theme'>;

/** What a user can change: how the dashboard looks, and what the user is told of. */
type Change = Schemas['SettingsChange'];

export const settingsQuery = $api.queryOptions('get', '/api/me/settings', {}, { staleTime: 300_000 });

// The settings last applied in this browser. The next page load starts with them, so that its colours
// and language do not change when the API's response arrives.

const key = 'imprimatur.settings';
const asTheBrowser: Settings = { language: null, timeZone: null, theme: 'system' };

export function remembered(): Settings {
  try {
    return { ...asTheBrowser, ...JSON.parse(localStorage.getItem(key) ?? '{}') };
  } catch {
    return asTheBrowser; // stored by another version of the dashboard
  }
}

export const remember = (settings: Settings) => localStorage.setItem(key, JSON.stringify(settings));

/** The settings of the signed-in user. Until they are loaded, the settings last applied in this browser. */
export function useSettings(): Settings {
  return useQuery(settingsQuery).data ?? remembered();
}

/** Changes settings. They are applied immediately, and rolled back if the request fails. */
export function useChangeSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: Change) => dataOf(api.PATCH('/api/me/settings', { body: change })),
    onMutate: async (change) => {
      await client.cancelQueries({ queryKey: settingsQuery.queryKey });
      const before = client.getQueryData<Schemas['Settings']>(settingsQuery.queryKey);
      client.setQueryData(settingsQuery.queryKey, { ...(before ?? remembered()), ...change, notices: { ...before?.notices, ...change.notices } });
      return { before };
    },
    onError: async (_error, _change, context) => {
      if (context?.before) client.setQueryData(settingsQuery.queryKey, context.before);
      else await client.resetQueries({ queryKey: settingsQuery.queryKey }); // they were not loaded before
    },
    onSuccess: (settings) => client.setQueryData(settingsQuery.queryKey, settings),
  });
}
