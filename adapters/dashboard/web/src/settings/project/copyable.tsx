import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { useTexts } from '../../i18n/language';
import { Mono } from '../../ui/basics';
import { IconButton } from '../../ui/button';
import styles from '../settings.module.css';

/** An identifier with a copy button. */
export function Copyable({ value }: { value: string }) {
  const t = useTexts('settings').copyable;
  const [copied, setCopied] = useState(false);
  return (
    <span className={styles.copyable}>
      <Mono>{value}</Mono>
      <IconButton
        label={copied ? t.copied : t.copy(value)}
        icon={copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        onPress={() => void navigator.clipboard.writeText(value).then(() => setCopied(true))}
      />
    </span>
  );
}
