import { ArrowRight } from 'lucide-react';
import { useFormat } from '../../i18n/format';
import { texts, useTexts } from '../../i18n/language';
import styles from './languages.module.css';

/** Shows a fallback chain. */
export function Chain({ locales }: { locales: string[] }) {
  const t = useTexts(words);
  const format = useFormat();
  return (
    <ol className={styles.chain} aria-label={t.chain}>
      {locales.map((locale, i) => (
        <li key={locale}>
          {i > 0 && <ArrowRight aria-hidden />}
          <span title={locale}>{format.locale(locale)}</span>
        </li>
      ))}
    </ol>
  );
}

const words = texts({ en: { chain: 'Readers get, in this order' }, de: { chain: 'Leser erhalten, in dieser Reihenfolge' } });
