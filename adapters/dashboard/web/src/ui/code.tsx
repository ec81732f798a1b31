import { Copy } from 'lucide-react';
import { useRef } from 'react';
import { Button } from './button';
import { toast } from './toast';
import styles from './code.module.css';

type CodeProps = {
  label: string;
  text: string;
  texts: { copy: string; copyThis: (label: string) => string; copied: string };
};

/** A text in a fixed-width font, with a button that copies it. */
export function Code({ label, text, texts }: CodeProps) {
  const code = useRef<HTMLPreElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      toast(texts.copied);
    } catch {
      // The clipboard needs https and permission. Without it, select the text for the user to copy.
      getSelection()?.selectAllChildren(code.current!);
    }
  };
  return (
    <div className={styles.code}>
      <pre ref={code} tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <Button icon={<Copy aria-hidden />} aria-label={texts.copyThis(label)} onPress={() => void copy()}>
        {texts.copy}
      </Button>
    </div>
  );
}
