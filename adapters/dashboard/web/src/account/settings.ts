import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { $api, api, dataOf, type Schemas } from '../api/client';

export type Settings = Schemas['Settings'];

const settingsQuery = $api.queryOptions('get', '/api/me/settings', {}, { staleTime: 300_000 });

// The settings that were last applied here, so that the next page begins with them and does not
// change its colours or its language before the answer of the API.

const key = 'imprimatur.settings';
const asTheBrowser: Settings = { language: null, timeZone: null, theme: 'system' };

export function remembered(): Settings {
  try {
    return { ...asTheBrowser, ...JSON.parse(localStorage.getItem(key) ?? '{}') };
  } catch {
    return asTheBrowser; // a value of another version
  }
}

export const remember = (settings: Settings) => localStorage.setItem(key, JSON.stringify(settings));

/** The settings of the signed-in user; those last applied until they are known. */
export function useSettings(): Settings {
  return useQuery(settingsQuery).data ?? remembered();
}

/** Changes settings. They are applied at once, and taken back if the API refuses them. */
export function useChangeSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: Partial<Settings>) => dataOf(api.PATCH('/api/me/settings', { body: change })),
    onMutate: async (change) => {
      await client.cancelQueries({ queryKey: settingsQuery.queryKey });
      const before = client.getQueryData(settingsQuery.queryKey);
      client.setQueryData(settingsQuery.queryKey, { ...(before ?? remembered()), ...change });
      return { before };
    },
    onError: (_error, _change, context) => client.setQueryData(settingsQuery.queryKey, context?.before),
    onSuccess: (settings) => client.setQueryData(settingsQuery.queryKey, settings),
  });
}
