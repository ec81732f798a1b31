import { ArrowRight } from 'lucide-react';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import styles from './languages.module.css';

/** Shows a fallback chain. */
export function Chain({ locales }: { locales: string[] }) {
  const t = useTexts('settings').chain;
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
