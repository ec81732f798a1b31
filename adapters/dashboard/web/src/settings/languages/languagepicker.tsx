import { useMemo, useState, type ReactNode } from 'react';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { ComboBox } from '../../ui/combobox';
import { canonicalTag, knownTags, languageMatches, ownName } from './locales';

type Props = { label: string; value: string; onChange: (tag: string) => void; taken: readonly string[]; hint?: ReactNode; fault?: ReactNode };

/** A choice of one language by its name here, its own name or its tag. A typed tag that is in no list can be chosen, too. */
export function LanguagePicker({ label, value, onChange, taken, hint, fault }: Props) {
  const t = useTexts('settings').languages;
  const format = useFormat();
  const [typed, type] = useState('');
  const all = useMemo(
    () => knownTags.map((tag) => ({ id: tag, label: format.locale(tag), detail: ownName(tag) })).sort((a, b) => a.label.localeCompare(b.label, format.tag)),
    [format],
  );
  const other = [value, canonicalTag(typed)].filter((tag) => tag && !knownTags.includes(tag)).map((tag) => ({ id: tag!, label: format.locale(tag!), detail: tag! }));
  const options = [...all, ...other].filter(({ id }, i, list) => !taken.includes(id) && list.findIndex((one) => one.id === id) === i);
  return (
    <ComboBox
      label={label}
      hint={hint}
      fault={fault}
      value={value}
      onChange={onChange}
      onType={type}
      options={options}
      matches={(option, text) => languageMatches(option, text)}
      nothing={t.nothing}
    />
  );
}
