import { useMemo } from 'react';
import { Radio, RadioGroup } from 'react-aria-components';
import { asApiError } from '../api/error';
import { browserTimeZone } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { languages, type Language } from '../texts/languages';
import { Problem } from '../ui/basics';
import { ComboBox } from '../ui/combobox';
import { Select } from '../ui/forms';
import styles from './account.module.css';
import { useChangeSettings, useSettings, type Settings } from './settings';
import { offsetOf, timeZones, zoneMatches, zoneName } from './zones';

const asBrowser = 'browser';

/** The language, time zone and theme settings. Each change is applied and saved immediately. */
export function Appearance() {
  const t = useTexts('account').appearance;
  const settings = useSettings();
  const change = useChangeSettings();
  const error = change.error ? asApiError(change.error) : undefined;

  const zones = useMemo(() => timeZones(), []);
  const options = useMemo(
    () => [{ id: asBrowser, label: t.asBrowserZone(zoneName(browserTimeZone())), detail: offsetOf(browserTimeZone()) }, ...zones.map((zone) => ({ id: zone.id, label: zoneName(zone.id), detail: zone.offset }))],
    [zones, t],
  );
  const zone = settings.timeZone ?? asBrowser;
  // The saved zone may be missing from the browser's list, for example because its name is outdated.
  const shown = options.some((option) => option.id === zone) ? options : [...options, { id: zone, label: zoneName(zone) }];

  return (
    <section>
      <h2>{t.title}</h2>
      <div className={styles.fields}>
        {error && <Problem error={error} />}
        <Select
          label={t.language}
          value={settings.language ?? asBrowser}
          onChange={(value) => change.mutate({ language: value === asBrowser ? null : (value as Language) })}
          options={[
            { id: asBrowser, label: t.asBrowser },
            ...Object.entries(languages).map(([id, { name }]) => ({ id, label: name })),
          ]}
        />
        <ComboBox
          // The field keeps its own text; the key resets it when the language or zone changes.
          key={`${zone} ${t.title}`}
          label={t.zone}
          value={zone}
          onChange={(value) => value !== zone && change.mutate({ timeZone: value === asBrowser ? null : value })}
          options={shown}
          matches={(option, text) => zoneMatches({ id: option.label, offset: option.detail ?? '' }, text)}
          nothing={t.noZone}
          hint={t.zoneHint}
        />
        <RadioGroup className={styles.themes!} value={settings.theme} onChange={(theme) => change.mutate({ theme: theme as Settings['theme'] })} aria-label={t.theme}>
          <span className={styles.legend}>{t.theme}</span>
          <div>
            {(['system', 'light', 'dark'] as const).map((theme) => (
              <Radio key={theme} value={theme} className={styles.theme!}>
                <span className={styles.sample} data-theme={theme} aria-hidden>
                  <i />
                  <i />
                  <i />
                </span>
                {t[theme]}
              </Radio>
            ))}
          </div>
        </RadioGroup>
      </div>
    </section>
  );
}
