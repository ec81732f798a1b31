// Faults of values have English texts without codes. These patterns translate the faults that
// users can cause; any other text is shown unchanged.

const german: [RegExp, string][] = [
  [/^is required$/, 'fehlt noch'],
  [/^are required$/, 'fehlen noch'],
  [/^is required: say what is to be revised$/, 'fehlt noch: Sagen Sie, was zu überarbeiten ist'],
  [/^is required, because the request is approved$/, 'fehlt noch, denn der Antrag ist freigegeben'],
  [/^is empty$/, 'ist leer'],
  [/^must not be (empty|null)$/, 'darf nicht leer sein'],
  [/^cannot be changed$/, 'lässt sich nicht ändern'],
  [/^is named twice$/, 'ist doppelt'],

  // Numbers, lengths and times
  [/^must be from (\S+) to (\S+)$/, 'muss zwischen $1 und $2 liegen'],
  [/^must be from (\S+) to (\S+) bytes$/, 'muss zwischen $1 und $2 Byte liegen'],
  [/^must be from 0 \(no limit\) to (\S+) requests per 60 s$/, 'muss zwischen 0 (keine Grenze) und $1 Anfragen pro Minute liegen'],
  [/^0 keeps all$/, '0 behält alle'],
  [/^must be at most (.+)$/, 'darf höchstens $1 sein'],
  [/^must be at least (.+)$/, 'muss mindestens $1 sein'],
  [/^must have at most (\S+) characters?$/, 'darf höchstens $1 Zeichen haben'],
  [/^must have at least (\S+) characters?$/, 'muss mindestens $1 Zeichen haben'],
  [/^must have at most (\S+) bytes$/, 'darf höchstens $1 Byte haben'],
  [/^must have at most (\S+) bytes: use a field of type longtext for more$/, 'darf höchstens $1 Byte haben: für mehr gibt es den Feldtyp „Langer Text“'],
  [
    /^must have at most (\S+) bytes in the form by which it is sorted: use a field of type longtext for more$/,
    'darf in der Form, nach der sortiert wird, höchstens $1 Byte haben: für mehr gibt es den Feldtyp „Langer Text“',
  ],
  [/^must have at most (\S+) values?$/, 'darf höchstens $1 Werte haben'],
  [/^must have at least (\S+) values?$/, 'muss mindestens $1 Werte haben'],
  [/^must be a number$/, 'muss eine Zahl sein'],
  [/^must be a whole number$/, 'muss eine ganze Zahl sein'],
  [/^must be a whole number that is not negative$/, 'muss eine ganze Zahl ab 0 sein'],
  [/^is too large to be kept exactly$/, 'ist zu groß, um genau gespeichert zu werden'],
  [/^is too long$/, 'ist zu lang'],
  [/^must be a date: .*$/, 'muss ein Datum sein'],
  [/^must be a time: .*$/, 'muss eine Uhrzeit sein'],
  [/^must be a date and time .*$/, 'muss ein Zeitpunkt sein'],
  [/^must be (?:later than now|in the future.*)$/, 'muss in der Zukunft liegen'],
  [/^must be later than now, because the request is approved: .*$/, 'muss in der Zukunft liegen, denn der Antrag ist freigegeben'],
  [/^must not be in the future.*$/, 'darf nicht in der Zukunft liegen'],
  [/^must be later than publishAt$/, 'muss nach dem Beginn liegen'],
  [/^must be of the years 1 to 9999 in UTC$/, 'muss in den Jahren 1 bis 9999 liegen'],
  [/^is past: .*$/, 'ist vergangen: Ändern Sie den Termin des Antrags, oder ziehen Sie ihn zurück'],

  // Texts
  [/^does not match the pattern (.+)$/, 'entspricht nicht dem Muster $1'],
  [/^must be one of: (.+)$/, 'muss eines davon sein: $1'],
  [/^must be words of a-z and 0-9 joined by single hyphens$/, 'darf nur Wörter aus a–z und 0–9 haben, mit Bindestrichen dazwischen'],
  [/^must be words of a-z and 0-9 joined by single hyphens, at most 63 characters$/, 'darf nur Wörter aus a–z und 0–9 haben, mit Bindestrichen dazwischen, höchstens 63 Zeichen'],
  [/^must be a(?:n absolute)? URL.*$/, 'muss eine Adresse wie https://beispiel.de sein'],
  [/^must be an e-mail address$/, 'muss eine E-Mail-Adresse sein'],
  [/^must be a colou?r.*$/, 'muss eine Farbe wie #1d3557 sein'],
  [/^must be text without control characters$/, 'darf keine Steuerzeichen haben'],
  [/^must (?:be text without the character|not contain) U\+0000$/, 'darf das Zeichen U+0000 nicht haben'],
  [/^is not valid (?:Unicode )?text$/, 'ist kein gültiger Text'],
  [/^is not JSON$/, 'ist kein JSON'],
  [/^is nested too deeply$/, 'ist zu tief verschachtelt'],
  [/^is not the current password$/, 'ist nicht das aktuelle Passwort'],

  // Existing or missing objects
  [/^is taken by another entry$/, 'hat schon ein anderer Eintrag'],
  [/^is taken by another collection$/, 'hat schon eine andere Sammlung'],
  [/^is the name of another field$/, 'heißt schon ein anderes Feld'],
  [/^is reserved$/, 'ist nicht erlaubt'],
  [/^must be (?:one of locales|a locale of the project)$/, 'muss eine Sprache des Projekts sein'],
  [/^is not one of locales$/, 'ist keine Sprache des Projekts'],
  [/^must be another locale$/, 'muss eine andere Sprache sein'],
  [/^must be a BCP 47 language tag$/, 'muss ein Sprachkürzel wie de oder pt-BR sein'],
  [/^is not a role that is given in a .*$/, 'ist keine Rolle, die hier vergeben wird'],
  [/^must be a department of the project's tenant$/, 'muss eine Abteilung der Organisation sein'],
  [/^must name at least one of .*$/, 'muss mindestens eines nennen'],

  // Fields of collections
  [/^must start with a-z and go on .*$/, 'muss mit a–z beginnen und darf dann Buchstaben, Ziffern und _ haben, höchstens 63 Zeichen'],
  [/^must not be over max$/, 'darf nicht über dem Höchstwert liegen'],
  [/^is not an RE2 expression.*$/, 'ist kein gültiger regulärer Ausdruck'],
  [/^must name a single text field$/, 'muss ein Textfeld mit einem Wert sein'],
  [/^must not be hidden, for the slug would show it$/, 'darf nicht verborgen sein, denn der Slug würde es zeigen'],
  [/^must stay true: no reviewer .*$/, 'muss an bleiben, denn die Werte des Feldes sind ungeprüft'],

  // Workflows
  [/^must have at least one step$/, 'muss mindestens einen Schritt haben'],
  [/^must have at most (\S+) steps$/, 'darf höchstens $1 Schritte haben'],
  [/^must be a custom role of the project's department$/, 'muss eine eigene Rolle der Abteilung sein'],
  [/^is for projects in a department$/, 'gibt es nur in Projekten einer Abteilung'],
  [/^step (\d+) requires the custom role$/, 'Schritt $1 verlangt die Rolle'],
  [/^step (\d+) requires a custom role of another department$/, 'Schritt $1 verlangt eine Rolle einer anderen Abteilung'],
  [/^step (\d+) is for department admins$/, 'Schritt $1 ist für Administratoren der Abteilung'],
  [/^step (\d+) of the open request (\S+) requires the custom role$/, 'Schritt $1 des offenen Antrags $2 verlangt die Rolle'],
  [/^step (\d+) of the open request (\S+) requires a custom role of another department$/, 'Schritt $1 des offenen Antrags $2 verlangt eine Rolle einer anderen Abteilung'],
  [/^step (\d+) of the open request (\S+) is for department admins$/, 'Schritt $1 des offenen Antrags $2 ist für Administratoren der Abteilung'],

  // Effects of a change on readers
  [/^readers no longer see its entries$/, 'Leser sehen die Einträge nicht mehr'],
  [/^readers no longer see its values$/, 'Leser sehen die Werte nicht mehr'],
  [/^readers see the values that its entries still have$/, 'Leser sehen die Werte, die die Einträge noch haben'],
  [/^requests without a locale get other entries$/, 'Anfragen ohne Sprache erhalten andere Einträge'],
  [/^readers get entries of (.+) instead of (.+)$/, 'Leser erhalten Einträge in $1 statt in $2'],
];

/** Translates a text of the API to German. "2: must be at most 5; is required" has two faults, the first of item 2. */
export function inGerman(text: string): string {
  const [, draft] = /^(.*) in the published version$/s.exec(text) ?? [];
  if (draft !== undefined) return `${inGerman(draft)} (in der veröffentlichten Fassung)`;
  return text
    .split('; ')
    .map((part) => {
      const [, place = '', fault = ''] = /^([\w.[\]]+: )?(.*)$/s.exec(part) ?? [];
      const found = german.find(([pattern]) => pattern.test(fault));
      return place + (found ? fault.replace(...found) : fault);
    })
    .join('; ');
}
