import { ExternalLink } from 'lucide-react';
import type { MouseEvent } from 'react';
import { useTexts } from '../i18n/language';
import { SiteLink } from '../ui/button';
import styles from './seepage.module.css';

type SeePageProps = {
  /** undefined: the entry has no page. */
  url: string | undefined;
  /** Saves the entry and resolves to its page URL, or undefined on failure. Returns undefined if all is saved. */
  save?: () => Promise<string | undefined> | undefined;
  quiet?: boolean;
};

/** A link to the page of an entry on the website. */
export function SeePage({ url, save, quiet }: SeePageProps) {
  const t = useTexts('common').seepage;
  if (url === undefined) return null;
  const open = async (event: MouseEvent) => {
    const saving = save?.();
    if (!saving) return;
    event.preventDefault();
    const saved = await saving;
    if (saved !== undefined) window.open(saved, '_blank', 'noopener,noreferrer');
  };
  return (
    <SiteLink href={url} kind={quiet ? 'quiet' : 'secondary'} icon={<ExternalLink aria-hidden />} onClick={(event) => void open(event)}>
      <span className={styles.label}>{t.see}</span>
    </SiteLink>
  );
}
