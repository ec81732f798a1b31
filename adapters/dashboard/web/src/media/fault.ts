import { asApiError } from '../api/error';
import { texts, useTexts } from '../i18n/language';

/** One sentence on why a call about one file failed, for a place that holds no more. */
export function useFaultText() {
  const t = useTexts(words);
  return (cause: unknown) => {
    const error = asApiError(cause);
    switch (error.status) {
      case 0:
        return t.offline;
      case 403:
        return t.forbidden;
      case 404:
        return t.missing;
      case 413:
        return t.tooLarge;
      case 415:
        return t.type;
    }
    if (error.code === 'in_use') return t.inUse(error.faults.length);
    if (error.status >= 500) return t.failed;
    return error.faults[0]?.message ?? error.message;
  };
}

const words = texts({
  en: {
    offline: 'No connection to the server',
    forbidden: 'You may not do this',
    missing: 'No longer in the library',
    tooLarge: 'Too large',
    type: 'This type of file is not accepted',
    failed: 'Something went wrong',
    inUse: (places: number) => (places === 1 ? 'One entry shows it' : `${places} entries show it`),
  },
  de: {
    offline: 'Keine Verbindung zum Server',
    forbidden: 'Das dürfen Sie nicht',
    missing: 'Nicht mehr in der Mediathek',
    tooLarge: 'Zu groß',
    type: 'Dieser Dateityp wird nicht angenommen',
    failed: 'Etwas ist schiefgegangen',
    inUse: (places: number) => (places === 1 ? 'Ein Eintrag zeigt die Datei' : `${places} Einträge zeigen die Datei`),
  },
});
