import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { useTexts } from '../../i18n/language';
import { Note } from '../../ui/basics';
import { Button } from '../../ui/button';
import { inputClass } from '../../ui/forms';
import { useDialogGuard } from '../../ui/overlays';
import styles from './tokens.module.css';

/** Shows a secret, which cannot be shown again, with a copy button. */
export function Secret({ label, value }: { label: string; value: string }) {
  const t = useTexts('tokens').secret;
  const [copied, setCopied] = useState(false);
  useDialogGuard(true);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  return (
    <>
      <Note tone="wait">{t.once}</Note>
      <div className={styles.secret}>
        <input className={inputClass} aria-label={label} value={value} readOnly onFocus={(event) => event.target.select()} />
        <Button icon={copied ? <Check aria-hidden /> : <Copy aria-hidden />} onPress={() => void copy()}>
          {copied ? t.copied : t.copy}
        </Button>
      </div>
      <span className="visually-hidden" role="status">
        {copied && t.copied}
      </span>
    </>
  );
}
