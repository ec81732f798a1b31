import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Chip, Mono } from '../../ui/basics';
import { IconButton } from '../../ui/button';
import { LanguagePicker } from './languagepicker';
import styles from './languages.module.css';

type Props = { label: string; hint: ReactNode; value: readonly string[]; onChange: (tags: string[]) => void; fault?: ReactNode };

/** The languages of a new Project, of which the first is its default. */
export function LanguageList({ label, hint, value, onChange, fault }: Props) {
  const t = useTexts('settings').languages;
  const format = useFormat();
  return (
    <div className={styles.list}>
      <LanguagePicker key={value.length} label={label} hint={hint} fault={fault} value="" onChange={(tag) => onChange([...value, tag])} taken={value} />
      <ul aria-label={label}>
        {value.map((tag, i) => (
          <li key={tag}>
            <span>{format.locale(tag)}</span>
            <Mono>{tag}</Mono>
            {i === 0 && <Chip tone="accent">{t.default}</Chip>}
            <IconButton label={t.remove(format.locale(tag))} icon={<X aria-hidden />} onPress={() => onChange(value.filter((one) => one !== tag))} />
          </li>
        ))}
      </ul>
    </div>
  );
}
